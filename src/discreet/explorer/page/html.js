// One place for the libraries: everybody else imports from here.
import { h } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export { render, Fragment, createRef } from "./vendor/preact.js";
export { useState, useEffect, useLayoutEffect, useRef, useMemo, useId } from "./vendor/hooks.js";
export { signal, computed, effect, batch, useSignal, useComputed } from "./vendor/signals.js";

// Values in a template become text nodes or attributes, never markup: a column may be called <script>.
export const html = htm.bind(h);
