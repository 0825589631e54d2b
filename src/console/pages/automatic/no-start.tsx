import type { VNode } from 'preact'
import type { NoFireReason, NoStartReason } from '../../../core/triggers/index.ts'
import { Status } from '../parts/status.tsx'

interface Verdict {
  /** Of the sign and the color. */
  readonly status: string
  readonly word: string
}

/** What a person has to know of a reason: whether all is as it should be, or a runbook is to be mended. */
const verdicts: Readonly<Record<NoStartReason | NoFireReason, Verdict>> = {
  where_false: { status: 'skipped', word: 'no match' },
  mapping_failed: { status: 'broken', word: 'cannot start' },
  inputs_invalid: { status: 'broken', word: 'cannot start' },
  duplicate: { status: 'skipped', word: 'not again' },
  cooldown: { status: 'skipped', word: 'not again' },
  start_limit_reached: { status: 'warn', word: 'held back' },
  concurrency: { status: 'warn', word: 'held back' },
  paused: { status: 'paused', word: 'held back' },
  missed: { status: 'warn', word: 'not started' },
  overlap: { status: 'warn', word: 'held back' },
  waits: { status: 'queued', word: 'not yet' },
}

/** Why nothing was started. */
export function NoStart({ because }: { readonly because: NoStartReason | NoFireReason }): VNode {
  const { status, word } = verdicts[because]
  return <Status status={status} word={`${word}: ${because.replaceAll('_', ' ')}`} />
}
