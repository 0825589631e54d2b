/** An annotation of a line, as the workflow commands of GitHub Actions have it. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice'
  readonly file: string
  /** From 1. */
  readonly line?: number | undefined
  readonly endLine?: number
  readonly column?: number | undefined
  readonly endColumn?: number | undefined
  readonly title: string
  readonly message: string
}

/** The annotation as one line of output. */
export function annotation(one: Annotation): string {
  const { level, file, line, endLine, column, endColumn, title, message } = one
  const list = Object.entries({ file, line, endLine, col: column, endColumn, title }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name}=${property(String(value))}`]),
  )
  return `::${level} ${list.join(',')}::${data(message)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
