import { RE2JS } from 're2js'
import { fail, type Machine, type Pattern, type PatternMatch, work } from './machine.ts'

const maxStates = 1500
/** What a class of Unicode letters costs to build, compared with one character. */
const unicodeClass = 40
const stepsToReadAState = 64
const statesInAStep = 4

const known = new Map<string, Pattern>()
const mostKnown = 100

/** Reads a pattern, or gives the reason why it is none. Patterns that were read before are kept. */
export function readPattern(text: string): Pattern | { readonly problem: string } {
  const before = known.get(text)
  if (before) return before
  const read = compilePattern(text)
  if ('problem' in read) return read
  if (known.size >= mostKnown) known.clear()
  known.set(text, read)
  return read
}

function compilePattern(text: string): Pattern | { readonly problem: string } {
  const states = countStates(text)
  if (states > maxStates) return { problem: 'the pattern is too large' }
  try {
    const pattern = RE2JS.compile(text)
    return {
      states,
      groups: pattern.groupCount(),
      find: (subject) => pattern.matcher(subject).find(),
      matchesIn: (subject) => matchesIn(pattern, subject),
    }
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '')
    return { problem: `the pattern cannot be read: ${reason}` }
  }
}

function* matchesIn(pattern: RE2JS, subject: string): Iterable<PatternMatch> {
  const matcher = pattern.matcher(subject)
  let last = -1
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    // An empty match right behind another one is part of it.
    if (start === end && start === last) continue
    last = end
    yield { start, end, group: (number) => matcher.group(number) ?? undefined }
  }
}

/** A pattern that is about to look through a text once, in linear time. What is counted does not depend on earlier evaluations. */
export function patternOf(machine: Machine, text: string, written: string): Pattern {
  machine.patterns ??= new Map()
  const seen = machine.patterns.get(written)
  const { states } = seen ?? known.get(written) ?? { states: Math.min(countStates(written), maxStates) }
  work(machine, Math.ceil((seen ? 0 : states * stepsToReadAState) + (text.length * states) / statesInAStep))
  if (seen) return seen
  const read = readPattern(written)
  if ('problem' in read) return fail(machine, machine.at, read.problem)
  machine.patterns.set(written, read)
  return read
}

const stepsForAMatch = 100
/** A search can look far behind the match that it gives, but does not look at each character with every state. */
const shareBehindAMatch = 16

/**
 * The matches of a pattern in a text. Each search counts a share of the rest of the text: to see that a match does not
 * get longer, the pattern can look at all of it.
 */
export function* allMatches(machine: Machine, text: string, pattern: Pattern): Iterable<PatternMatch> {
  // A match is looked through again for its groups.
  if (pattern.groups > 0) work(machine, Math.ceil((text.length * pattern.states) / statesInAStep))
  for (const match of pattern.matchesIn(text)) {
    const rest = ((text.length - match.end) * pattern.states) / (statesInAStep * shareBehindAMatch)
    work(machine, stepsForAMatch + Math.ceil(rest))
    yield match
  }
}

/** What a pattern is made of, as far as its size goes: quoted text, classes, repeat counts, groups, single characters. */
const pieces =
  /\\Q(?<quoted>[\s\S]*?)(?:\\E|$)|(?<letters>\\[pP](?:\{[^}]*\}|.)?)|\\[\s\S]|(?<set>\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\])|\{(?<least>\d+)(?<range>,(?<most>\d*))?\}|[\s\S]/gu

/**
 * How many states the machine of a pattern has at most, computed from its text alone. A repeat count multiplies the part
 * before it, so a few characters can ask for a million states.
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
