import type { ResumeFlags } from '../commands/resume.ts'
import { notYet } from '../run/refuse-flags.ts'

/** What each flag that is announced would do, and what can be done today. */
const announced: readonly (readonly [name: keyof ResumeFlags, instead: string])[] = [
  ['from', 'a run goes on from where it stopped; leave the flag out'],
  ['runbook', 'a run goes on with the runbook it was started with; "opsbook run" starts one with the new'],
  ['keep', 'what is done stays done; leave the flag out'],
  ['repeat', 'only the steps that failed are tried again; leave the flag out'],
  ['skip', 'no step is skipped; "opsbook run" starts a run of a runbook without it'],
  ['input', 'a run goes on with the inputs it was started with; "opsbook run" starts one with others'],
]

/** Refuses flags that are announced and not there yet: ignoring them would mean something else than was asked. */
export function refuseResumeFlags(flags: ResumeFlags): void {
  for (const [name, instead] of announced) if (flags[name] !== undefined) throw notYet(`--${name}`, instead)
}
