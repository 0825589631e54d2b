const token =
  /[ \t\n\r]*(?:([[\]{}:,])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y

const value = '{["0'

/** Offset at which a text stops being JSON: of the first token that JSON does not allow there, or of the end. */
export function invalidJsonAt(text: string): number {
  const open: string[] = []
  // The kinds of tokens that can follow: marks stand for themselves, " for a text, 0 for any other scalar.
  let allowed = value
  token.lastIndex = 0
  for (;;) {
    const begin = token.lastIndex
    const [found, mark, quoted] = token.exec(text) ?? []
    const kind = mark ?? (quoted === undefined ? '0' : '"')
    if (found === undefined || !allowed.includes(kind))
      return begin + text.slice(begin).search(/[^ \t\n\r]|$/)
    const isKey = allowed.startsWith('"')
    if (kind === '{' || kind === '[') open.push(kind)
    else if (kind === '}' || kind === ']') open.pop()
    allowed = following(kind, open.at(-1), isKey)
  }
}

function following(kind: string, holder: string | undefined, isKey: boolean): string {
  if (kind === '{') return '"}'
  if (kind === '[') return `${value}]`
  if (kind === ':') return value
  if (kind === ',') return holder === '{' ? '"' : value
  if (kind === '"' && isKey) return ':'
  return holder === undefined ? '' : holder === '{' ? ',}' : ',]'
}
