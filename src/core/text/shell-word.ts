/** A word of a command line as bash and zsh read it: in quotes where one of them would make something else of it. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
