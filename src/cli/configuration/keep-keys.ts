import { parseDuration } from '../../core/duration.ts'
import type { Configuration } from './read-configuration.ts'

const weekMs = 604_800_000

/** How long a dedupe key is remembered, in milliseconds. */
export function keepKeysMs({ document }: Configuration): number {
  const given = document.triggers?.['keep-keys']
  return given === undefined ? weekMs : (parseDuration(given) ?? weekMs)
}
