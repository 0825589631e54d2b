/** A terminal's screen: what is on it after everything that was written. It knows what a redrawn frame uses. */
export interface Screen {
  write(text: string): void
  /** The rows from the top of the output to its last one. */
  rows(): readonly string[]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor begins with one
const token = /\u001b\[([?\d;]*)([A-Za-z])|\n|\r|[^\u001b]/gu

/** An empty screen. What scrolls out of it is kept: rows count from the first line of output. */
export function createScreen(): Screen {
  const rows: string[][] = [[]]
  let [row, column] = [0, 0]
  const line = (): string[] => {
    while (rows.length <= row) rows.push([])
    return rows[row] ?? []
  }
  const control = (argument: string, command: string): void => {
    const count = Number(argument || 1)
    if (command === 'A') row = Math.max(0, row - count)
    else if (command === 'B') row += count
    else if (command === 'G') column = count - 1
    else if (command === 'K') line().splice(argument === '2' ? 0 : column)
    else if (!'hlm'.includes(command)) throw new Error(`the screen does not know CSI ${argument}${command}`)
  }
  return {
    write(text) {
      for (const [character, argument = '', command] of text.matchAll(token)) {
        if (command !== undefined) control(argument, command)
        else if (character === '\n') [row, column] = [row + 1, 0]
        else if (character === '\r') column = 0
        else {
          const cells = line()
          while (cells.length < column) cells.push(' ')
          cells[column++] = character
        }
      }
      line()
    },
    rows: () => rows.map((cells) => cells.join('').trimEnd()),
  }
}
