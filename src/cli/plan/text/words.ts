import type { Settled } from '../../../core/plan/index.ts'
import type { Calls, StepPreview, UsesPreview, ValuePreview } from '../../../core/preview/index.ts'
import { durationText } from '../../shared/terminal/quantity-text.ts'

/** The safety of an action, in words. */
export const riskWords: Readonly<Record<UsesPreview['risk'], string>> = {
  local: 'local',
  read: 'reads',
  idempotent: 'writes, repeatable',
  create: 'creates',
}

/** How many calls a step takes: `3 calls`, `0 or 1 call`, `1 call for each 8 tools`. */
export function callsWords({ calls, uses, for_each: loop, runs, branches, repeat }: StepPreview): string {
  if (calls.most === 0 || (uses?.risk === 'local' && uses.child === undefined)) return ''
  if (loop?.count === null) return `${countWords(loop.calls_per_item)} for each item`
  if (calls.most === null && uses?.batch && uses.batch.items === null) {
    const { size, argument } = uses.batch
    return `1 call for each ${size} ${argument}${runs === 'open' ? ', if it runs' : ''}`
  }
  return countWords(calls, branches || repeat ? 'to' : 'or')
}

/** Such as `3 calls`, `0 or 2 calls`, `1 to 5 calls`, `1 call or more`. `joint`: between none and several. */
export function countWords({ least, most }: Calls, joint: 'or' | 'to' = 'or'): string {
  if (most === null) return `${noun(least, 'call')} or more`
  if (least === most) return noun(least, 'call')
  const between = most === least + 1 ? 'or' : least === 0 ? joint : 'to'
  return `${digits(least)} ${between} ${noun(most, 'call')}`
}

/** `1 call`, `2 calls`, `2 branches`. */
export function noun(count: number, name: string): string {
  return `${digits(count)} ${name}${count === 1 ? '' : name.endsWith('h') ? 'es' : 's'}`
}

function digits(count: number): string {
  return count.toLocaleString('en')
}

/** The shortest time, in words and never rounded up; empty if the rate limits cause no waiting. */
export function leastTimeWords(milliseconds: number | undefined): string {
  if (milliseconds === undefined || milliseconds < 100) return ''
  return `at least ${durationText(Math.floor(milliseconds / 100) * 100)}`
}

/** A value, or why there is none yet. */
export function valueWords(value: ValuePreview): string {
  switch (value.state) {
    case 'known':
      return typeof value.value === 'string' ? textWords(value.value) : JSON.stringify(value.value)
    case 'open':
      return openWords(value.needs)
    case 'failed':
      return `cannot be evaluated: ${value.message}`
    case 'secret':
      return `from the secret ${value.secret}`
  }
}

/** A value on lines of its own: a text of several lines, such as a script, keeps them. */
export function valueLines(value: ValuePreview): readonly string[] {
  const text = value.state === 'known' && typeof value.value === 'string' ? value.value : ''
  return text.trimEnd().includes('\n') ? text.trimEnd().split('\n') : [valueWords(value)]
}

/** A number, or the expression that decides it while its input is missing. */
export function settingWords(setting: Settled, format: (number: number) => string = String): string {
  return typeof setting === 'number' ? format(setting) : setting.source
}

/** What a value depends on. */
export function openWords(needs: readonly string[]): string {
  const inputs = needs.filter((path) => rootOf(path) === 'inputs')
  const others = needs.filter((path) => rootOf(path) !== 'inputs')
  if (others.length === 0) return `needs ${inputs.join(', ')}`
  // Any other name is the item of a loop, or its position.
  if (inputs.length === 0 && others.every((path) => !names.includes(rootOf(path)))) {
    return `its own for each ${[...new Set(others.map(rootOf))].join(' and ')}`
  }
  return `at run time, from ${[...others, ...inputs].join(', ')}`
}

const names: readonly string[] = ['steps', 'inputs', 'run', 'error', 'outputs', 'event']

function rootOf(path: string): string {
  return /^[^.[]*/.exec(path)?.[0] ?? path
}

/** Quotes a text that could be read as a number, a boolean or null. */
function textWords(text: string): string {
  return text === '' || /^[\s[{"']|\s$|^(-?\d+(\.\d+)?|true|false|null)$/.test(text)
    ? JSON.stringify(text)
    : text
}
