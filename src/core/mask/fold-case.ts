const plus = 0x2b
const blank = 0x20

/** What each code is folded to, once it was asked for; never 0. */
const known = new Uint16Array(0x1_00_00)

/**
 * The same codes without differences of case, each in its place. A plus is a blank, since forms write it for one.
 */
export function foldCase(codes: Uint16Array): Uint16Array {
  const folded = new Uint16Array(codes.length)
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number
    folded[at] = known[code] || foldCode(code)
  }
  return folded
}

function foldCode(code: number): number {
  // One letter becomes two, and one has a form of its own at the end of words.
  const lower = String.fromCharCode(code).toLowerCase().replace('ς', 'σ').charCodeAt(0)
  const folded = code === plus ? blank : lower || 1
  known[code] = folded
  return folded
}
