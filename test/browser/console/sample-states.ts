import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { PageName, StateOf } from '../../../src/console/pages/index.ts'
import type { PageState } from '../../../src/console/state.ts'

const start = Date.parse('2026-11-23T09:00:00Z')

/** What every page of the samples has. */
export const around: Pick<PageState, 'at' | 'about' | 'user' | 'waiting'> = {
  at: new Date(start).toISOString(),
  about: { version: '0.1.0', engine: 'embedded', location: '/var/lib/opsbook' },
  user: { name: 'maria', roles: ['operator'] },
  waiting: 3,
}

/** A time of the samples, this many seconds ago. */
export function ago(seconds: number): string {
  return new Date(start - seconds * 1000).toISOString()
}

/** The run whose page `sample-run.ts` has. */
export const run = {
  run_id: 'run_20261123_085120_p0m2aa',
  runbook: 'publish-post-mortem',
  labels: {},
} as const

type Sample = StateOf<Exclude<PageName, 'run'>>

const written = parse(readFileSync(new URL('samples.yaml', import.meta.url), 'utf8'), { merge: true })

/** A first state of each page but that of a run, by its address. */
export const samples: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.entries(written as Record<string, object>).map(([path, state]) => [
    path,
    { ...around, path, ...state } as Sample,
  ]),
)
