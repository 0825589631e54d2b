/** Finds what is plainly wrong in a Prometheus expression; not a whole parser, but whoever mistypes sees an error. */

const functions = new Set(
  (
    'abs avg_over_time ceil changes clamp_max clamp_min count_over_time delta deriv floor histogram_quantile increase ' +
    'irate label_replace max_over_time min_over_time predict_linear rate round scalar sort sort_desc sum_over_time time vector ' +
    'sum avg min max count topk bottomk quantile stddev group'
  ).split(' '),
)

/** Words that stand between operands. */
export const keywords: ReadonlySet<string> = new Set(
  'by without on ignoring group_left group_right and or unless offset bool'.split(' '),
)

const closing: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' }
const names: Readonly<Record<string, string>> = { '(': 'parenthesis', '{': 'brace', '[': 'bracket' }

/** The first error in the words that Prometheus uses, or nothing. */
export function findSyntaxError(expr: string): string | undefined {
  const text = withoutStrings(expr)
  if (text === undefined) return '1:1: parse error: unterminated quoted string'
  if (text.trim() === '') return '1:1: parse error: no expression found in input'
  const odd = /[^\w\s:(){}[\],.=!~<>+\-*/%^@"]/.exec(text)
  if (odd) return `1:${odd.index + 1}: parse error: unexpected character: '${odd[0]}'`
  return findUnbalanced(text) ?? findMisplaced(text)
}

/** The expression with the contents of its strings blanked out, so that only its structure is left. */
export function withoutStrings(expr: string): string | undefined {
  const text = expr.replace(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g,
    (quoted) => `"${' '.repeat(quoted.length - 2)}"`,
  )
  return /['`]|"\s*$/.test(text.replace(/"\s*"/g, '')) || (text.split('"').length - 1) % 2 === 1
    ? undefined
    : text
}

function findUnbalanced(text: string): string | undefined {
  const open: string[] = []
  for (const [index, character] of [...text].entries()) {
    if (character in closing) open.push(character)
    if (!Object.values(closing).includes(character)) continue
    const opener = open.pop()
    if (opener === undefined || closing[opener] !== character) {
      return `1:${index + 1}: parse error: unexpected "${character}"`
    }
  }
  const last = open.pop()
  return last && `1:${text.length + 1}: parse error: unclosed left ${names[last]}`
}

function findMisplaced(text: string): string | undefined {
  const leading = /^\s*([*/%^<>=!~,])/.exec(text)?.[1]
  if (leading) return `1:1: parse error: unexpected <op:${leading}>`
  if (/[-+*/%^<>=!~,]\s*$|\(\s*[*/%^,]|[-+*/%^]\s*[)\]]/.test(text)) {
    return `1:${text.length + 1}: parse error: unexpected end of input`
  }
  const outside = text.replace(/\{[^}]*\}/g, '')
  for (const [, first = '', second = ''] of outside.matchAll(
    /([a-zA-Z_:][\w:]*)\s+(?=([a-zA-Z_:][\w:]*))/g,
  )) {
    if (!keywords.has(first) && !keywords.has(second))
      return `1:1: parse error: unexpected identifier "${second}"`
  }
  for (const [, name = ''] of outside.matchAll(/([a-zA-Z_:][\w:]*)\s*\(/g)) {
    if (!functions.has(name) && !keywords.has(name)) {
      return `1:${outside.indexOf(name) + 1}: parse error: unknown function with name "${name}"`
    }
  }
  return undefined
}
