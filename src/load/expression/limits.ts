/** How long an expression may be, in characters. */
export const maxCharacters = 2000

/** How deep its parts may stand inside one another: what every later walk goes down without running out of stack. */
export const maxLevels = 250
