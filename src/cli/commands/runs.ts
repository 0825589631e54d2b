import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples, gather } from './examples.ts'
import {
  dataDirOption,
  type EngineFlags,
  engineOption,
  limitOption,
  type OutputFlags,
  outputOption,
} from './options.ts'

/** The flags of `runs`, as the parser hands them over. */
export interface RunsOptions extends EngineFlags, OutputFlags {
  readonly status?: readonly string[]
  readonly runbook?: string
  readonly label?: readonly string[]
  readonly since?: string
  readonly limit: number
}

export function runsCommand(start: Start): Command {
  return new Command('runs')
    .summary('the runs of this machine or of a Temporal server, the newest first')
    .description(
      'Lists the runs of the data directory, or of the namespace on Temporal, the newest first, those that go on included.',
    )
    .option('--status <status>', 'only runs with this status; repeatable, or with commas', gather)
    .option('--runbook <name>', 'only runs of this runbook')
    .option('--label <name=value>', 'only runs with this label; repeatable', gather)
    .option('--since <when>', 'only runs started since: 2h, 7d, 2026-01-31, or a moment as in RFC 3339')
    .addOption(limitOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook runs',
        'opsbook runs --status failed,unknown --since 7d',
        'opsbook runs --runbook look --label team=shop --output json',
      ])}

Statuses: queued (waits for serve) · running · waiting (for a person) · paused · succeeded · failed · cancelled · unknown (needs a decision) · interrupted`,
    )
    .action((options: RunsOptions) =>
      start(async (context) => {
        const { runs } = await import('../runs/index.ts')
        return runs(context, options)
      }),
    )
}
