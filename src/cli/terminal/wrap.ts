/** A text as lines no wider than this, broken at spaces where it has any. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if ([...longer].length <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while ([...line].length > width) {
      lines.push([...line].slice(0, width).join(''))
      line = [...line].slice(width).join('')
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line]
}
