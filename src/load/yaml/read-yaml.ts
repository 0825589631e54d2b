import { isScalar, type LineCounter, type Node, type YAMLError } from 'yaml'
import type { Range } from '../../core/diagnostic.ts'
import type { JsonPath } from '../json-path.ts'
import type { Findings } from './findings.ts'
import { type ParsedYaml, parseYaml } from './parse-yaml.ts'
import { isHarmless, tellErrors } from './syntax-errors.ts'
import { toPlain } from './to-plain.ts'
import { findTraps, type Trap, trapWithin, withoutTraps } from './traps.ts'

/** A YAML text as far as it could be read. */
export interface ReadYaml {
  /** Plain data; undefined where nothing can be trusted. */
  readonly value?: unknown
  readonly contents?: Node
}

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
  if (!isSound || !document) for (const trap of traps) tell(trap, [])
  if (!document) return {}
  const { contents } = document
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2') {
    findings.add('YAML_FEATURE', [], rangeAt(0, 1), 'runbooks are YAML 1.2', 'leave the directive out')
  }
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
  const [values, ends] = [
    traps.filter(({ after }) => after === undefined),
    new Map(traps.map((trap) => [trap.after, trap])),
  ]
  const tellMasked = (start: number, end: number, path: JsonPath): boolean => {
    const trap = ends.get(start) ?? trapWithin(values, start, Math.max(end, start + 1))
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
    const errors = 'tooDeep' in parsed ? undefined : parsed.errors
    if (errors?.every(isHarmless)) break
    const readable = withoutTraps(text, traps)
    const found = withoutOverlap(traps, findTraps(readable))
    const fresh = withoutOverlap(found, secondColons(readable, errors ?? []))
    if (fresh.length === traps.length) break
    traps = fresh
    lines.lineStarts.length = 0
    parsed = parseYaml(withoutTraps(text, traps), lines)
  }
  return { parsed, traps }
}

/** All that is known, and of what is found what overlaps nothing known. */
function withoutOverlap(known: readonly Trap[], found: readonly Trap[]): readonly Trap[] {
  const fresh = found.filter(({ start, end }) => trapWithin(known, start, end) === undefined)
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
