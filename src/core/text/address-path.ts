/** What is wrong with a path below the address of a connection; undefined for one that can be sent as it is. */
export function addressPathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must begin with "/"'
  if (/[?#]/.test(path)) return 'must hold no "?" and no "#": give parameters under query'
  if (/[^\x21-\x7e]|["<>\\^`{|}]/.test(path) || /%(?![\da-f]{2})/i.test(path))
    return 'must be percent-encoded, such as %20 for a blank; only values of expressions inside it are encoded'
  const parts = path.split('/')
  return parts.some((part) => /^(\.|%2e){1,2}$/i.test(part))
    ? 'must have no part that is "." or "..": it would name another path'
    : undefined
}
