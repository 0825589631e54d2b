import { RE2JS } from 're2js'
import { type Machine, work } from './machine.ts'

/** A pattern in RE2 syntax, ready to be looked for. */
export interface Pattern {
  /** How many states it has at most: what looking at one character can cost. */
  readonly states: number
  find(text: string): boolean
}

const maxStates = 1500
/** What a class of Unicode letters costs to build, compared with one character. */
const unicodeClass = 40
const stepsToReadAState = 64
const statesInAStep = 4

/** Reads a pattern, or says why it cannot be one. */
export function readPattern(text: string): Pattern | { readonly problem: string } {
  const states = countStates(text)
  if (states > maxStates) return { problem: 'the pattern is too large' }
  try {
    const pattern = RE2JS.compile(text)
    return { states, find: (subject) => pattern.matcher(subject).find() }
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '')
    return { problem: `the pattern cannot be read: ${reason}` }
  }
}

/** Whether the pattern is found in the text, in a time that grows with the length of the text and nothing else. */
export function matches(
  machine: Machine,
  text: string,
  pattern: string,
  refuse: (problem: string) => never,
): boolean {
  const known = machine.patterns.get(pattern)
  work(machine, Math.ceil((text.length * (known?.states ?? 0)) / statesInAStep))
  if (known) return known.find(text)
  const states = Math.min(countStates(pattern), maxStates)
  work(machine, Math.ceil(states * stepsToReadAState + (text.length * states) / statesInAStep))
  const read = readPattern(pattern)
  if ('problem' in read) return refuse(read.problem)
  machine.patterns.set(pattern, read)
  return read.find(text)
}

/** What a pattern is made of, as far as its size goes: quoted text, classes, repeat counts, groups, single characters. */
const pieces =
  /\\Q(?<quoted>[\s\S]*?)(?:\\E|$)|(?<letters>\\[pP](?:\{[^}]*\}|.)?)|\\[\s\S]|(?<set>\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\])|\{(?<least>\d+)(?<range>,(?<most>\d*))?\}|[\s\S]/gu

/**
 * How many states the machine of a pattern has at most, told from its text alone: a repeat count multiplies what
 * stands before it, so that a few characters can ask for a million states.
 */
function countStates(pattern: string): number {
  const open: number[] = []
  let sum = 0
  let last = 0
  for (const { 0: piece, groups = {} } of pattern.matchAll(pieces)) {
    const { quoted, letters, set, least, range, most } = groups
    if (least !== undefined) {
      last *= Math.max(1, Number(least), Number(most ?? 0)) * (range === undefined ? 1 : 2)
    } else if (piece === ')') {
      last += sum + 2
      sum = open.pop() ?? 0
    } else {
      sum += last
      last = 1
      if (quoted !== undefined) last = quoted.length
      else if (letters !== undefined) last = unicodeClass
      else if (set !== undefined) last = 1 + unicodeClass * (set.match(/\\[pP]/g)?.length ?? 0)
      else if (piece === '(') {
        open.push(sum)
        sum = 0
      }
    }
  }
  // One state to begin in, one to end in.
  return open.reduce((total, outer) => total + outer, sum + last + 2)
}
