import type { JsonValue } from '../json.ts'
import type { ExpressionFunction, Parameter } from './function.ts'
import { convert, fail, itemSize, type Machine, make, type Pattern } from './machine.ts'
import { allMatches, patternOf, readPattern } from './pattern.ts'
import { type Kind, listOf, textType, truth } from './value-type.ts'

const kinds: readonly Kind[] = ['text']
const text: Parameter = { name: 'text', kinds }
const pattern: Parameter = { name: 'pattern', kinds, check: patternProblem }
const patternOfOne: Parameter = { name: 'pattern', kinds, check: groupProblem }

/** Functions of patterns, in RE2 syntax: none of them can take more than linear time for one search. */
export const patternFunctions: readonly ExpressionFunction[] = [
  {
    name: 'matches',
    parameters: [text, pattern],
    result: truth,
    summary: 'Whether a pattern is found in a text.',
    example: "'web-01'.matches('^web-[0-9]+$')",
    evaluate: ([subject, written], machine) =>
      patternOf(machine, subject as string, written as string).find(subject as string),
  },
  {
    name: 'regexExtract',
    parameters: [text, patternOfOne],
    result: { kinds: ['text', 'null'] },
    summary:
      'What a pattern first matches in a text, or what its group in brackets does; null without a match.',
    example: "'load: 0.7'.regexExtract('load: ([0-9.]+)') == '0.7'",
    evaluate: ([subject, written], machine) => {
      for (const part of extract(machine, subject as string, written as string)) return part ?? null
      return null
    },
  },
  {
    name: 'regexExtractAll',
    parameters: [text, patternOfOne],
    result: listOf(textType),
    summary: 'All that a pattern matches in a text, or all that its group in brackets does.',
    example: "'a=1, b=2'.regexExtractAll('([a-z])=') == ['a', 'b']",
    evaluate: ([subject, written], machine) =>
      [...extract(machine, subject as string, written as string)].filter((part) => part !== undefined),
  },
  {
    name: 'regexReplace',
    parameters: [
      text,
      pattern,
      { name: 'by', kinds, check: (by, [, written]) => replacementProblem(by, written) },
    ],
    result: textType,
    summary:
      'The text with every match of a pattern replaced. In the replacement, `\\1` is what the first group matches.',
    example: "'2026-07-01'.regexReplace('(\\\\d+)-(\\\\d+)', '\\\\2/\\\\1') == '07/2026-01'",
    evaluate: ([subject, written, by], machine) =>
      replace(machine, subject as string, written as string, by as string),
  },
]

function patternProblem(value: JsonValue): string | undefined {
  const read = readPattern(value as string)
  return 'problem' in read ? read.problem : undefined
}

function groupProblem(value: JsonValue): string | undefined {
  const read = readPattern(value as string)
  return 'problem' in read ? read.problem : tooManyGroups(read)
}

function tooManyGroups({ groups }: Pattern): string | undefined {
  const count = `the pattern has ${groups} groups and can have one`
  return groups > 1 ? `${count}; write the others (?:…)` : undefined
}

/** What each match of the pattern gives: its group, if it has one. Undefined where the group took no part. */
function* extract(machine: Machine, subject: string, written: string): Iterable<string | undefined> {
  const pattern = patternOf(machine, subject, written)
  const problem = tooManyGroups(pattern)
  if (problem !== undefined) fail(machine, machine.at, problem)
  for (const match of allMatches(machine, subject, pattern)) {
    make(machine, itemSize + match.end - match.start)
    yield match.group(pattern.groups)
  }
}

/** The texts of a replacement and the numbers of its groups, or why it is none. */
function replacementParts(by: string): readonly (string | number)[] | { readonly problem: string } {
  const parts: (string | number)[] = []
  for (const [piece] of by.matchAll(/[^\\]+|\\[\s\S]?/g)) {
    if (!piece.startsWith('\\')) parts.push(piece)
    else if (piece === '\\\\') parts.push('\\')
    else if (/^\\\d$/.test(piece)) parts.push(Number(piece.slice(1)))
    else return { problem: 'in a replacement, a backslash comes before the number of a group or a backslash' }
  }
  return parts
}

function replacementProblem(by: JsonValue, written: JsonValue | undefined): string | undefined {
  const parts = replacementParts(by as string)
  if ('problem' in parts) return parts.problem
  const read = typeof written === 'string' ? readPattern(written) : undefined
  return read === undefined || 'problem' in read ? undefined : missingGroup(parts, read)
}

function missingGroup(parts: readonly (string | number)[], { groups }: Pattern): string | undefined {
  const missing = parts.find((part) => typeof part === 'number' && part > groups)
  if (missing === undefined) return undefined
  return `the replacement names group ${missing}, and the pattern has ${groups === 0 ? 'none' : groups}`
}

function replace(machine: Machine, subject: string, written: string, by: string): string {
  convert(machine, by.length)
  const parts = replacementParts(by)
  if ('problem' in parts) return fail(machine, machine.at, parts.problem)
  const pattern = patternOf(machine, subject, written)
  const problem = missingGroup(parts, pattern)
  if (problem !== undefined) return fail(machine, machine.at, problem)
  make(machine, subject.length)
  const pieces: string[] = []
  let from = 0
  for (const match of allMatches(machine, subject, pattern)) {
    pieces.push(subject.slice(from, match.start))
    for (const part of parts) {
      const piece = typeof part === 'string' ? part : (match.group(part) ?? '')
      make(machine, piece.length + itemSize)
      pieces.push(piece)
    }
    from = match.end
  }
  pieces.push(subject.slice(from))
  return pieces.join('')
}
