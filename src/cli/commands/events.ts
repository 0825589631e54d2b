import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import {
  dataDirOption,
  type EngineFlags,
  engineOption,
  limitOption,
  type OutputFlags,
  outputOption,
} from './options.ts'
import { runbookArgument } from './run-argument.ts'

/** The flags of commands that look at events. */
export interface EventFlags extends EngineFlags, OutputFlags {}

/** The flags of `events`, as the parser hands them over. */
export interface EventsFlags extends EventFlags {
  readonly hook?: string
  readonly runbook?: string
  readonly because?: string
  readonly started?: boolean
  readonly refused?: boolean
  readonly since?: string
  readonly limit: number
}

/** The flags of `events test`, as the parser hands them over. */
export interface EventTestFlags extends EventFlags {
  readonly event: string
  readonly hook?: string
}

export function eventsCommand(start: Start): Command {
  const events = new Command('events')
    .summary('what came in, and what was decided of it')
    .description(
      'Lists the events that "opsbook serve" took, the newest first, with the decision for each runbook.',
    )
    .option('--hook <name>', 'only events of this hook')
    .option('--runbook <name>', 'only events that a trigger of this runbook was asked about')
    .option('--because <reason>', 'only events that started nothing for this reason')
    .option('--started', 'only events that started a run')
    .option('--refused', 'deliveries that were refused, and why, in place of events')
    .option('--since <when>', 'only events since: 2h, 7d, 2026-01-31, or a moment as in RFC 3339')
    .addOption(limitOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addCommand(showCommand(start))
    .addCommand(testCommand(start))
    .addHelpText(
      'after',
      `${examples([
        'opsbook events',
        'opsbook events --runbook diagnose-host --because start_limit_reached --since 2h',
        'opsbook events --refused --since 2h',
        'opsbook events show 7c1f0d2e',
      ])}

Reasons: where_false · mapping_failed · inputs_invalid · duplicate · cooldown · start_limit_reached · concurrency · paused`,
    )
    .action((flags: EventsFlags) =>
      start(async (context) => {
        if (flags.refused) {
          const { listRefused } = await import('../events/list-refused.ts')
          return listRefused(context, flags)
        }
        const { listEvents } = await import('../events/list-events.ts')
        return listEvents(context, flags)
      }),
    )
  return events
}

function showCommand(start: Start): Command {
  return new Command('show')
    .summary('one event, its decisions and its body')
    .description('Shows one event: what was decided of it for each trigger, why, and what triggers saw.')
    .argument('<id>', 'what its sender calls it; HOOK/ID where several hooks have had one of that id')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['opsbook events show 7c1f0d2e', 'opsbook events show incidents/7c1f0d2e']),
    )
    .action((id: string, _: object, command: Command) =>
      start(async (context) => {
        const { showEvent } = await import('../events/show-event.ts')
        return showEvent(context, id, command.optsWithGlobals<EventsFlags>())
      }),
    )
}

function testCommand(start: Start): Command {
  return new Command('test')
    .summary('what an event would start, without starting it')
    .description(
      'Says what would be decided of an event for a runbook, and with which inputs it would be started. Nothing is recorded or started.',
    )
    .argument('<runbook>', runbookArgument)
    .addOption(
      new Option('--event <file>', 'the body of the delivery, as JSON; - reads stdin').makeOptionMandatory(),
    )
    .option('--hook <name>', 'the hook that it comes to; left out: the only one there is')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'opsbook events test diagnose-host --event incident.json',
        'opsbook events test diagnose-host --event - --hook alerts --output json < alert.json',
      ]),
    )
    .action((runbook: string, _: object, command: Command) =>
      start(async (context) => {
        const { testEvent } = await import('../events/test-event.ts')
        return testEvent(context, runbook, command.optsWithGlobals<EventTestFlags>())
      }),
    )
}
