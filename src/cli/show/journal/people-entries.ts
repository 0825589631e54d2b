import { identityText } from '../../../core/record/identity.ts'
import type { ControlRequestRecord, DecisionRecord, ResumeRecord } from '../../../engine/embedded/index.ts'
import { valueLines } from '../../run/report/output-lines.ts'
import type { ReportOptions } from '../../run/report/report-lines.ts'
import { durationText } from '../../terminal/duration-text.ts'
import type { JournalEntry } from './entry.ts'

/** A resume, and what was changed for it. */
export function resumeEntry(resume: ResumeRecord, options: ReportOptions): JournalEntry {
  const { number, by, at, amendment, plan_hash_before, inputs_before } = resume
  const { paint } = options
  return {
    atMs: Date.parse(at),
    words: [`resumed by ${identityText(by)}, resume ${number}`],
    details: [
      ...(amendment === undefined ? [] : [paint.dim('asked for'), ...valueLines(amendment, options)]),
      ...(plan_hash_before === undefined ? [] : [`${paint.dim('the plan until then')} ${plan_hash_before}`]),
      ...(inputs_before === undefined
        ? []
        : [paint.dim('the inputs until then'), ...valueLines(inputs_before, options)]),
    ],
  }
}

const decisions: Readonly<Record<DecisionRecord['decision'], string>> = {
  succeeded: 'it was carried out',
  failed: 'it was not carried out',
  retry: 'to be made again',
  cancelled: 'the run is cancelled: nobody has found out',
}

/** What somebody has decided of a call that nobody was sure of. */
export function decisionEntry({ path, decision, by, comment, at, error }: DecisionRecord): JournalEntry {
  const why = comment === undefined ? '' : `: ${comment}`
  const before = error === undefined ? [] : [`until then ${error.code}`]
  return {
    atMs: Date.parse(at),
    path,
    words: [`${identityText(by)} decided: ${decisions[decision]}${why}`, ...before],
  }
}

const controlRequests: Readonly<Record<ControlRequestRecord['kind'], string>> = {
  cancel: 'wants it cancelled',
  'cancel-now': 'wants it cancelled at once, without clean-up',
  pause: 'wants it paused',
  unpause: 'wants it to go on',
}

/** What somebody wanted of the run, and how soon it was taken up. */
export function controlRequestEntry({ kind, by, comment, at, taken_at }: ControlRequestRecord): JournalEntry {
  const why = comment === undefined ? '' : `: ${comment}`
  const atMs = Date.parse(at)
  const taken =
    taken_at === undefined
      ? 'not taken up by any process'
      : `taken up after ${durationText(Date.parse(taken_at) - atMs)}`
  return { atMs, words: [`${identityText(by)} ${controlRequests[kind]}${why}`, taken] }
}
