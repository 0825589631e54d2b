/** An annotation of a line, as the workflow commands of GitHub Actions have it. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice'
  readonly file: string
  /** From 1. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly title: string
  readonly message: string
}

/** The annotation as one line of output. */
export function annotation({ level, file, line, column, title, message }: Annotation): string {
  const place = line === undefined ? '' : `,line=${line}`
  const exact = column === undefined ? '' : `,col=${column}`
  return `::${level} file=${property(file)}${place}${exact},title=${property(title)}::${data(message)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
