import { isScalar, type LineCounter, type Node, type YAMLError } from 'yaml'
import type { Range } from '../../core/diagnostic.ts'
import type { JsonPath } from '../json-path.ts'
import type { Findings } from './findings.ts'
import { type ParsedYaml, parseYaml } from './parse-yaml.ts'
import { toPlain } from './to-plain.ts'
import { findTraps, type Trap, withoutTraps } from './traps.ts'
import { findUnclosed } from './unclosed.ts'

/** A YAML text as far as it could be read. */
export interface ReadYaml {
  /** Plain data; undefined where nothing can be trusted. */
  readonly value?: unknown
  readonly contents?: Node
}

/** Errors after which the library still reads what was meant. */
const harmless: ReadonlySet<string> = new Set([
  'BAD_ALIAS',
  'BAD_DQ_ESCAPE',
  'BAD_SCALAR_START',
  'TAG_RESOLVE_FAILED',
])

/** Traps hide one another: so often is the text read anew. */
const mostRounds = 4

/** Reads YAML 1.2. What the author got wrong becomes findings; as much as can be trusted is read all the same. */
export function readYaml(
  text: string,
  lines: LineCounter,
  rangeAt: (start: number, end: number) => Range,
  findings: Findings,
): ReadYaml {
  const { parsed, traps } = parseAroundTraps(text, lines)
  const tell = ({ code, start, end, message, hint }: Trap, path: JsonPath): void =>
    findings.add(code, path, rangeAt(start, end), message, hint)
  if ('tooDeep' in parsed) {
    const range = rangeAt(parsed.tooDeep, parsed.tooDeep + 1)
    findings.add('TOO_DEEP', [], range, 'there are more than 20 maps and lists inside one another')
    for (const trap of traps) tell(trap, [])
    return {}
  }
  const { document, errors, second } = parsed
  if (second !== undefined) {
    const message = 'a second document begins here; put each runbook into a file of its own'
    findings.add('SEVERAL_DOCUMENTS', [], rangeAt(second, second + 3), message)
  }
  const isSound = tellErrors(errors, text, rangeAt, findings)
  const { contents } = document
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2') {
    findings.add('YAML_FEATURE', [], rangeAt(0, 1), 'runbooks are YAML 1.2', 'leave the directive out')
  }
  if (!isSound) for (const trap of traps) tell(trap, [])
  if (!isSound) return contents ? { contents } : {}
  if (!contents || (isScalar(contents) && contents.value === null)) {
    findings.add(
      'EMPTY_FILE',
      [],
      rangeAt(0, 0),
      'the file holds no runbook',
      'a runbook begins with apiVersion: opsbook/v1',
    )
    return {}
  }
  const told = new Set<Trap>()
  const tellMasked = (offset: number, path: JsonPath): boolean => {
    const trap = traps.find(({ start, end, isLeftOver }) => !isLeftOver && offset >= start && offset < end)
    if (trap && !told.has(trap)) tell(trap, [...path])
    if (trap) told.add(trap)
    return trap !== undefined
  }
  const value = toPlain(contents, { text, findings, rangeAt, tellMasked })
  for (const trap of traps) if (!told.has(trap)) tell(trap, [])
  return { contents, value }
}

interface Parsing {
  readonly parsed: ParsedYaml | { readonly tooDeep: number }
  readonly traps: readonly Trap[]
}

function parseAroundTraps(text: string, lines: LineCounter): Parsing {
  let traps: readonly Trap[] = []
  let parsed = parseYaml(text, lines)
  for (let round = 1; round < mostRounds; round++) {
    if ('tooDeep' in parsed || parsed.errors.every(({ code }) => harmless.has(code) && code !== 'BAD_ALIAS'))
      break
    const readable = withoutTraps(text, traps)
    const found = withoutOverlap(traps, findTraps(readable))
    const fresh = withoutOverlap(found, secondColons(readable, parsed.errors))
    if (fresh.length === traps.length) break
    traps = fresh
    lines.lineStarts.length = 0
    parsed = parseYaml(withoutTraps(text, traps), lines)
  }
  return { parsed, traps }
}

/** All that is known, and of what is found what overlaps nothing known. */
function withoutOverlap(known: readonly Trap[], found: readonly Trap[]): readonly Trap[] {
  const fresh = found.filter((trap) => !known.some(({ start, end }) => trap.start < end && trap.end > start))
  return [...known, ...fresh].toSorted((a, b) => a.start - b.start)
}

/** `message: Error: failed`: YAML sees a map in the value. */
function secondColons(text: string, errors: readonly YAMLError[]): readonly Trap[] {
  return errors.flatMap(({ code, pos: [start] }): Trap[] => {
    if (code !== 'BLOCK_AS_IMPLICIT_KEY') return []
    const [line = ''] = text.slice(start, start + 4000).split(/\r?\n/, 1)
    const value = line.replace(/\s#.*$/, '').trimEnd()
    return value === '' || !value.includes(': ')
      ? []
      : [
          {
            code: 'YAML_SYNTAX',
            start,
            end: start + value.length,
            message: 'a second ": " in one line: YAML sees a map in the value',
            hint: 'put the whole value in quotes',
          },
        ]
  })
}

/** Tells of errors, of those that may follow from one another only the first. Answers whether the rest can be trusted. */
function tellErrors(
  errors: readonly YAMLError[],
  text: string,
  rangeAt: (start: number, end: number) => Range,
  findings: Findings,
): boolean {
  const tabs = errors.filter(({ code }) => code === 'TAB_AS_INDENT')
  for (const { pos } of tabs) {
    findings.add('TAB', [], rangeAt(...pos), 'a tab is no indentation in YAML', 'indent with spaces')
  }
  for (const { code, pos, message } of errors) {
    if (code !== 'BAD_DQ_ESCAPE' && code !== 'BAD_SCALAR_START') continue
    const hint =
      code === 'BAD_SCALAR_START'
        ? 'put the value in quotes'
        : 'in double quotes a backslash is written twice; in single quotes it stands for itself'
    findings.add('YAML_SYNTAX', [], rangeAt(...pos), lowerFirst(message), hint)
  }
  const [first] = errors.filter(({ code }) => !harmless.has(code) && code !== 'TAB_AS_INDENT')
  if (first && tabs.length === 0) {
    const open = findUnclosed(text, first)
    if (open) findings.add('YAML_SYNTAX', [], rangeAt(open.start, open.start + 1), open.message, open.hint)
    else findings.add('YAML_SYNTAX', [], rangeAt(...first.pos), lowerFirst(first.message), hintFor(first))
  }
  return first === undefined && tabs.length === 0
}

function hintFor({ code }: YAMLError): string | undefined {
  const hints: Readonly<Record<string, string>> = {
    BAD_INDENT: 'the keys of one map begin in one column',
    BLOCK_AS_IMPLICIT_KEY: 'put the value in quotes, or begin the map in a line of its own',
    MULTILINE_IMPLICIT_KEY: 'is a ":" missing in this line or in the one before?',
    MISSING_CHAR: 'is a ":" or a "-" missing in this line or in the one before?',
  }
  return hints[code]
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
