import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import type { JsonPath, JsonValue } from '../core/json.ts'
import type { Diagnostic, DiagnosticCode, Range } from './diagnostic.ts'
import { runbookLimits } from './limits.ts'
import { looksLikeRunbook } from './looks-like-runbook.ts'
import { createFindings, type Findings, inOrder } from './yaml/findings.ts'
import { readText } from './yaml/read-text.ts'
import { beginsWith, type FileContent, type ReadYaml, readYaml } from './yaml/read-yaml.ts'
import { scalarOffsets } from './yaml/scalar-offsets.ts'

export type { Findings } from './yaml/findings.ts'

/** A YAML text that has been read: its values, and where each of them stands. */
export interface Source {
  readonly text: string
  /**
   * Plain data; undefined when the YAML is broken. A value that a finding has been made about is `unreadable`.
   */
  readonly value: unknown
  readonly findings: Findings
  /** Reports an error about a value, or about a key. */
  add(code: DiagnosticCode, at: FindingPlace, message: string, hint?: string): void
  /** Reports something that does not stop anything. */
  warn(code: DiagnosticCode, at: FindingPlace, message: string, hint?: string): void
  /** The range of the value at a path, or of the nearest thing around it; or that of a key. */
  rangeOf(at: FindingPlace): Range
  /** The range of a part of a text, counted in characters of its value; the whole where parts are not known. */
  rangeWithin(path: JsonPath, start: number, end: number): Range
  /** A scalar as it is written, and how; undefined where something else stands. */
  scalarAt(path: JsonPath): { readonly written: string; readonly style: Scalar['type'] } | undefined
}

/** What a finding is about: the value at a path, or its key. */
export type FindingPlace = JsonPath | { readonly key: JsonPath }

/** A finding about what stands at a path, or about its key. */
export function findingPlace(path: JsonPath, isAboutKey: boolean): FindingPlace {
  return isAboutKey ? { key: path } : path
}

/** A line with more than a comment, the mark of a document, or null. */
const holdsMore = /^(?!---\s*$|null\s*$|~\s*$)\s*[^\s#]/m

const smallerHints: { readonly [content in FileContent]?: string } = {
  runbook: 'move steps to runbooks that core/run calls',
  tests: 'move tests to another file',
}

/** What a file of another kind is for. */
function otherFile(file = ''): string | undefined {
  if (/\.test\.ya?ml$/i.test(file)) return 'it holds tests: "opsbook test" runs them'
  return /(^|[\\/])opsbook\.yaml$/.test(file)
    ? 'it is the configuration of the project; name a runbook'
    : undefined
}

/** Reads YAML 1.2, from bytes or a text. What the author got wrong becomes findings, never an exception. */
export function readSource(
  input: string | Uint8Array,
  file?: string,
  content: FileContent = 'runbook',
): Source {
  const { text, bytes, problem } = readText(input)
  const { lines, rangeAt } = createRanges()
  const findings = createFindings(file)
  // Such a file may hold keys, and who names it in a runbook may be none who can read it: nothing of it is shown.
  const isForeign = content === 'runbook' && !looksLikeRunbook(text)
  if (bytes > runbookLimits.bytes) {
    const message = `the file is larger than ${runbookLimits.bytes / 1024} KB`
    findings.add('FILE_TOO_LARGE', [], rangeAt(0, 0), message, smallerHints[content])
  } else if (problem) {
    countLines(text, lines)
    const { offset, message, hint } = problem
    findings.add('NOT_TEXT', [], rangeAt(offset, offset + 1), message, hint)
  } else if (isForeign && holdsMore.test(text)) {
    findings.add('NOT_A_RUNBOOK', [], rangeAt(0, 0), 'the file is no runbook', otherFile(file) ?? beginsWith)
  } else return sourceOf(text, readYaml(text, lines, rangeAt, findings, content), findings, rangeAt)
  return sourceOf(isForeign ? '' : text, {}, findings, rangeAt)
}

/**
 * Reads one value of YAML 1.2, which includes JSON, or the first problem in it. Numbers are never rounded. The value is
 * data: a text such as `yes` or `{{ x }}` is as sound as any. An empty text is null.
 */
export function readValue(
  text: string,
  takesAnySpelling: boolean,
): { readonly value: JsonValue } | { readonly problem: Diagnostic } {
  const { lines, rangeAt } = createRanges()
  const findings = createFindings(undefined)
  const { value } = readYaml(text, lines, rangeAt, findings, 'values', takesAnySpelling)
  const [problem] = inOrder(findings.list)
  if (problem?.code === 'EMPTY_FILE') return { value: null }
  return problem === undefined ? { value: value as JsonValue } : { problem }
}

function createRanges(): { readonly lines: LineCounter; rangeAt(start: number, end: number): Range } {
  const lines = new LineCounter()
  const rangeAt = (start: number, end: number): Range => ({
    start: positionAt(lines, start),
    end: positionAt(lines, Math.max(end, start)),
  })
  return { lines, rangeAt }
}

function sourceOf(
  text: string,
  { value, contents }: ReadYaml,
  findings: Findings,
  rangeAt: (start: number, end: number) => Range,
): Source {
  const rangeOf = (at: FindingPlace): Range => {
    const path = 'key' in at ? at.key : at
    const range = 'key' in at ? keyRange(contents, path) : undefined
    if (range) return rangeAt(...range)
    for (let length = path.length; length >= 0; length--) {
      const node = findNode(contents, path.slice(0, length))
      if (node?.range) return rangeAt(node.range[0], node.range[1])
    }
    return rangeAt(0, 0)
  }
  const reportBy =
    (report: Findings['add']): Source['add'] =>
    (code, at, message, hint) =>
      report(code, 'key' in at ? at.key : at, rangeOf(at), message, hint)
  return {
    text,
    value,
    findings,
    add: reportBy(findings.add),
    warn: reportBy(findings.warn),
    rangeOf,
    rangeWithin(path, start, end) {
      const node = findNode(contents, path)
      const offsets = isScalar(node) ? scalarOffsets(text, node) : undefined
      if (!offsets || end >= offsets.length) return rangeOf(path)
      // The end of a stretch is right after its last character, and not where the next one begins.
      const last = end > start ? endOf(text, offsets, end) : offsets[start]
      return rangeAt(offsets[start] ?? 0, last ?? 0)
    },
    scalarAt(path) {
      const node = findNode(contents, path)
      if (!isScalar(node) || !node.range) return undefined
      return { written: text.slice(node.range[0], node.range[1]), style: node.type }
    },
  }
}

function keyRange(contents: Node | undefined, path: JsonPath): readonly [number, number] | undefined {
  const pair = findPair(findNode(contents, path.slice(0, -1)), path.at(-1))
  return pair?.key.range ? [pair.key.range[0], pair.key.range[1]] : undefined
}

function endOf(text: string, offsets: readonly number[], end: number): number {
  const begin = offsets[end - 1] ?? 0
  const next = offsets[end] ?? begin + 1
  // Folded lines leave a gap of white space before the next character.
  return begin + Math.max(1, text.slice(begin, next).trimEnd().length)
}

function countLines(text: string, lines: LineCounter): void {
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
}

function positionAt(lines: LineCounter, offset: number): Range['start'] {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1), offset }
}

/** The node at a path, or undefined where the path ends or goes through an alias. */
function findNode(contents: Node | undefined, path: JsonPath): Node | undefined {
  let node: unknown = contents
  for (const part of path) {
    if (typeof part === 'number') node = isSeq(node) ? node.items[part] : undefined
    else node = findPair(node, part)?.value
  }
  return isPair(node) ? (node.key as Node) : ((node as Node | null | undefined) ?? undefined)
}

/** The pair of a key in a map. */
function findPair(holder: unknown, key: string | number | undefined): Pair<Node, Node | null> | undefined {
  if (isPair(holder)) return holder as Pair<Node, Node | null>
  return isMap(holder) && typeof key === 'string'
    ? pairsOf(holder as YAMLMap<Node, Node | null>).get(key)
    : undefined
}

type Pairs = ReadonlyMap<string, Pair<Node, Node | null>>

const pairsOfMaps = new WeakMap<YAMLMap, Pairs>()

/** The pairs of a map by their keys; of two with one key the first. */
function pairsOf(map: YAMLMap<Node, Node | null>): Pairs {
  const known = pairsOfMaps.get(map)
  if (known) return known
  const pairs = new Map<string, Pair<Node, Node | null>>()
  for (const pair of map.items) {
    const key = keyOf(pair)
    if (key !== undefined && !pairs.has(key)) pairs.set(key, pair)
  }
  pairsOfMaps.set(map, pairs)
  return pairs
}

function keyOf({ key }: Pair): string | undefined {
  if (!isScalar(key)) return undefined
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}
