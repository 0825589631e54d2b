/** Tells what happens, in a line. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Tells what was seen. Throws where it is not what was expected. */
export function check(what: string, isSo: boolean, seen = ''): void {
  say(`${isSo ? 'ok    ' : 'NOT OK'} ${what}${seen === '' ? '' : `: ${seen.trim().replaceAll('\n', ' | ')}`}`)
  if (!isSo) throw new Error(what)
}
