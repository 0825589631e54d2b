import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
} from 'yaml'
import type { Diagnostic, DiagnosticCode, Range } from '../core/diagnostic.ts'
import { formatPath, type JsonPath } from './json-path.ts'

/** A YAML text that has been read: its values, and where each of them stands. */
export interface Source {
  /** Plain data; big integers are left out and reported. Undefined when the YAML is broken. */
  readonly value: unknown
  readonly findings: Findings
  /** The range of the value at a path, or of the nearest thing around it. */
  rangeOf(path: JsonPath): Range
  /** The range of a key. */
  rangeOfKey(path: JsonPath): Range
  /** The range of a part of a plain or quoted one-line scalar; of the whole scalar where parts cannot be told. */
  rangeWithin(path: JsonPath, start: number, end: number): Range
}

/** Where diagnostics are gathered. */
export interface Findings {
  readonly list: Diagnostic[]
  add(code: DiagnosticCode, path: JsonPath, range: Range, message: string, hint?: string): void
  /** A finding that does not stop anything. */
  warn(code: DiagnosticCode, path: JsonPath, range: Range, message: string, hint?: string): void
}

const maxBytes = 256 * 1024
const maxAliases = 50

/** Reads YAML 1.2 text. What the author got wrong becomes findings, never an exception. */
export function readSource(text: string): Source {
  const lineCounter = new LineCounter()
  const rangeAt = (start: number, end: number): Range => ({
    start: position(lineCounter, start),
    end: position(lineCounter, Math.max(end, start)),
  })
  const findings = createFindings()
  const document = parse(text, lineCounter, rangeAt, findings)
  const value =
    document === undefined || findings.list.length > 0 ? undefined : toPlain(document, rangeAt, findings)
  const nodeRange = (node: Node | null | undefined): Range | undefined =>
    node?.range ? rangeAt(node.range[0], node.range[1]) : undefined

  const rangeOf = (path: JsonPath): Range => {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document?.contents : document?.getIn(path.slice(0, length), true)
      const range = nodeRange(node as Node | null | undefined)
      if (range) return range
    }
    return rangeAt(0, 0)
  }
  return {
    value,
    findings,
    rangeOf,
    rangeOfKey(path) {
      const parent = path.length === 1 ? document?.contents : document?.getIn(path.slice(0, -1), true)
      const pair = isMap(parent) ? parent.items.find((item) => keyText(item) === path.at(-1)) : undefined
      return nodeRange(pair?.key as Node | undefined) ?? rangeOf(path)
    },
    rangeWithin(path, start, end) {
      const node = document?.getIn(path, true)
      const whole = rangeOf(path)
      if (!isScalar(node) || typeof node.value !== 'string') return whole
      const from = whole.start.offset + (node.type === 'PLAIN' ? 0 : 1)
      const isVerbatim = text.slice(from, from + node.value.length) === node.value
      return isVerbatim ? rangeAt(from + start, from + end) : whole
    },
  }
}

function createFindings(): Findings {
  const list: Diagnostic[] = []
  const push = (finding: Diagnostic): void => {
    // An integer that cannot be held breaks further rules; the first finding says why.
    const isExplained = list.some(
      ({ code, range }) => code === 'INTEGER_TOO_LARGE' && range.start.offset === finding.range.start.offset,
    )
    if (!isExplained) list.push(finding)
  }
  const make =
    (severity: Diagnostic['severity']): Findings['add'] =>
    (code, path, range, message, hint) =>
      push({
        code,
        severity,
        message,
        ...(hint === undefined ? {} : { hint }),
        path: formatPath(path),
        range,
      })
  return { list, add: make('error'), warn: make('warning') }
}

function parse(
  text: string,
  lineCounter: LineCounter,
  rangeAt: (start: number, end: number) => Range,
  findings: Findings,
): Document.Parsed | undefined {
  if (Buffer.byteLength(text) > maxBytes) {
    findings.add('FILE_TOO_LARGE', [], rangeAt(0, 0), `the file is larger than ${maxBytes / 1024} KB`)
    return undefined
  }
  if (text.includes('\0') || text.includes('\uFFFD')) {
    const at = text.search(/[\0\uFFFD]/)
    findings.add(
      'NOT_TEXT',
      [],
      rangeAt(0, 0),
      `the file is not UTF-8 text: a byte near offset ${at} is not a character`,
    )
    return undefined
  }
  const options = {
    lineCounter,
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    resolveKnownTags: false,
    prettyErrors: false,
  } as const
  const documents = parseAllDocuments(text, options)
  const document = Array.isArray(documents) ? documents[0] : undefined
  if (!document || document.contents === null) {
    findings.add('EMPTY_FILE', [], rangeAt(0, 0), 'the file holds no runbook', 'a runbook begins with apiVersion: opsbook/v1')
    return document
  }
  for (const error of [...document.errors, ...document.warnings]) {
    const code = error.code === 'DUPLICATE_KEY' ? 'DUPLICATE_KEY' : 'YAML_SYNTAX'
    findings.add(code, [], rangeAt(error.pos[0], error.pos[1]), lowerFirst(error.message))
  }
  const second = documents[1]
  if (second) {
    const message = 'a second document begins here; put each runbook into a file of its own'
    findings.add('SEVERAL_DOCUMENTS', [], rangeAt(second.range[0], second.range[0]), message)
  }
  return document
}

/** The document as plain data. Integers that JSON numbers cannot hold are reported. */
function toPlain(
  document: Document.Parsed,
  rangeAt: (start: number, end: number) => Range,
  findings: Findings,
): unknown {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value !== 'bigint') return
      const isSafe = node.value >= Number.MIN_SAFE_INTEGER && node.value <= Number.MAX_SAFE_INTEGER
      const [start = 0, end = 0] = node.range ?? []
      if (!isSafe) {
        const message = `${node.value} is beyond 2^53 and cannot be held exactly`
        findings.add('INTEGER_TOO_LARGE', [], rangeAt(start, end), message, `quote it: "${node.value}"`)
      }
      node.value = Number(node.value)
    },
    Pair(_, pair) {
      if (keyText(pair) !== '<<') return
      const [start = 0, end = 0] = (pair.key as Node).range ?? []
      findings.add(
        'YAML_FEATURE',
        [],
        rangeAt(start, end),
        'merge keys are not part of the language',
        'write the keys out',
      )
    },
  })
  if (findings.list.some(({ code }) => code === 'YAML_FEATURE')) return undefined
  try {
    return document.toJS({ maxAliasCount: maxAliases })
  } catch (error) {
    findings.add(
      'YAML_FEATURE',
      [],
      rangeAt(0, 0),
      lowerFirst((error as Error).message),
      `at most ${maxAliases} aliases are followed`,
    )
    return undefined
  }
}

function keyText(pair: Pair): unknown {
  return isScalar(pair.key) ? String(pair.key.value) : undefined
}

function position(lineCounter: LineCounter, offset: number): Range['start'] {
  const { line, col } = lineCounter.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1), offset }
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
