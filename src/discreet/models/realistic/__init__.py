"""ε-privacy: adversaries with a prior of finite strength."""
