import { Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { dataDirOption, engineOption, gather, runbookArgument, withActionsOption } from '../shared/options.ts'

export const rehearseCommand: DefineCommand = (start) =>
  new OpsbookCommand('rehearse')
    .summary('compare recorded runs with a changed runbook')
    .description(
      'Rehearses the recorded runs of a runbook with its file as it is now: the journal has the results of calls, and the answers of people. Prints what would be different. Nothing is sent, and no secret is read.',
    )
    .argument('<runbook>', runbookArgument)
    .option('--since <when>', 'the runs started since: 2h, 7d, 2026-01-31, or an RFC 3339 timestamp', '30d')
    .option('--runs <run>', 'only this run, of any age; repeatable, or with commas', gather)
    .option('--strict', 'fail if a run is different or cannot be known')
    .addOption(
      new Option('-o, --output <format>', 'text; json: one document; github: annotations of a workflow')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(withActionsOption())
    .withExamples(
      [
        'opsbook rehearse runbooks/look.yaml',
        'opsbook rehearse look.yaml --since 7d --output json',
        'opsbook rehearse look.yaml --runs latest --strict',
      ],
      `A call that the journal does not hold is open, and what follows from it cannot be known.

Exit codes: 0 done · 1 with --strict: a run is different or cannot be known · 2 invalid runbook or flags`,
    )
    .executes(start, async () => (await import('./index.ts')).rehearse)
