"""Excel workbooks written by hand: the few parts that every reader asks for. No library of another's is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZipFile

Cell = str | int | float | bool | date | datetime | None
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_DAY, _MOMENT = 1, 2  # the formats of `_STYLES`
_STYLES = f"""<styleSheet xmlns="{_MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>
<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>
<cellXfs count="3"><xf/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs>
</styleSheet>"""


def write_workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> Path:
    """Sheets of rows, the first of them names as a rule. Days and moments are numbers with a format, as in Excel."""
    numbered = list(enumerate(sheets.items(), start=1))
    listed = "".join(f'<sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>' for i, (name, _) in numbered)
    relations = "".join(
        f'<Relationship Id="rId{i}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i, _ in numbered
    )
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_TYPES}.worksheet+xml"/>' for i, _ in numbered
    )
    files = {
        "[Content_Types].xml": f"""<Types xmlns="{_PACKAGE}/content-types">
            <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
            <Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>
            <Override PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/>{parts}</Types>""",
        "_rels/.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships">
            <Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
        "xl/workbook.xml": f"""<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>""",
        "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships">{relations}
            <Relationship Id="rIdS" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>""",
        "xl/styles.xml": _STYLES,
    }
    for i, (_, rows) in numbered:
        lines = "".join(f'<row r="{r}">{_cells(row, r)}</row>' for r, row in enumerate(rows, start=1))
        files[f"xl/worksheets/sheet{i}.xml"] = f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'
    with ZipFile(path, "w") as workbook:
        for name, content in files.items():
            workbook.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{content}')
    return path


def _cells(row: Sequence[Cell], number: int) -> str:
    return "".join(_cell(value, f"{_letters(i)}{number}") for i, value in enumerate(row) if value is not None)


def _cell(value: Cell, place: str) -> str:
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        since = (value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)) - datetime(
            1899, 12, 30
        )
        style = _MOMENT if isinstance(value, datetime) else _DAY
        return f'<c r="{place}" s="{style}"><v>{since.days + since.seconds / 86400}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
