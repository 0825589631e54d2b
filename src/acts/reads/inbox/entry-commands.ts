import { answerCommands, answerFieldsOf } from '../../../core/people/index.ts'
import { shellWord } from '../../../core/text/index.ts'
import { outputsWords } from '../../../project/records/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import type { WaitingEntry } from './inbox-entry.ts'
import type { NamedRun } from './named-run.ts'

/** The commands that answer an entry, in the words of the command line. `flags`: where the run is found. */
export function commandsFor(entry: WaitingEntry, { readsOf }: NamedRun, flags: string): readonly string[] {
  const { run_id } = entry.run
  const words = entry.kind === 'question' ? questionWords(entry) : decisionWords(entry, readsOf)
  const command = ([verb, ...rest]: readonly string[]): string =>
    ['opsbook', verb, run_id, ...rest, ...(flags === '' ? [] : [flags])].join(' ')
  return words.map(command)
}

type Words = readonly (readonly string[])[]

/** Answered is what was shown: questions that were shown together are answered together, or not at all. */
function questionWords({ group }: Extract<WaitingEntry, { kind: 'question' }>): Words {
  const { step, questions, shown } = group
  const [first] = questions
  const which = word(questions.length === 1 && first ? first.path : step)
  return answerCommands(first && answerFieldsOf(first), shown).map(({ verb, more }) => [
    verb,
    which,
    ...more.map((one) => word(one)),
  ])
}

/** What is known of an interrupted call is not on record before a resume, so its run is shown first. */
function decisionWords(
  { call }: Extract<WaitingEntry, { kind: 'unknown_outcome' }>,
  readsOf: NamedRun['readsOf'],
): Words {
  const decide = (verdict: string): readonly string[] => ['decide', word(call.path), '--as', verdict]
  return [
    ['show'],
    [...decide('succeeded'), ...outputsWords(readsOf(call))],
    decide('failed'),
    decide('retry'),
  ]
}

function word(path: string): string {
  return shellWord(printableLine(path))
}
