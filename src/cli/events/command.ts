import { Option } from 'commander'
import { usualAddresses } from '../../project/index.ts'
import type { Start } from '../shared/context.ts'
import { OpsbookCommand } from '../shared/opsbook-command.ts'
import { limitOption, runbookArgument } from '../shared/options.ts'

export function eventsCommand(start: Start): OpsbookCommand {
  return new OpsbookCommand('events')
    .summary('list received events and what they started')
    .description(
      'Lists the events that "opsbook serve" received, newest first, with the decision for each runbook.',
    )
    .option('--hook <name>', 'only events of this hook')
    .option('--runbook <name>', 'only events that were evaluated for this runbook')
    .option('--because <reason>', 'only events that did not start a run, for this reason')
    .option('--started', 'only events that started a run')
    .option('--refused', 'list refused deliveries instead, with the reason')
    .option('--since <when>', 'only events received since: 2h, 7d, 2026-01-31, or an RFC 3339 timestamp')
    .addOption(limitOption())
    .withLocation()
    .addCommand(showCommand(start))
    .addCommand(testCommand(start))
    .addCommand(sendCommand(start))
    .withExamples(
      [
        'opsbook events',
        'opsbook events --runbook diagnose-host --because start_limit_reached --since 2h',
        'opsbook events --refused --since 2h',
        'opsbook events show 7c1f0d2e',
      ],
      `Reasons: where_false · mapping_failed · inputs_invalid · duplicate · cooldown · start_limit_reached · concurrency · paused`,
    )
    .executes(start, async () => (await import('./list-events.ts')).listReceivedEvents)
}

function showCommand(start: Start): OpsbookCommand {
  return new OpsbookCommand('show')
    .summary('show one event, its decisions and its body')
    .description(
      'Shows one event: the decision for each trigger, its reason, the steps that took it, and the event as it was recorded.',
    )
    .argument('<id>', 'the id that its sender gave it; HOOK/ID if several hooks received this id')
    .withLocation()
    .withExamples(['opsbook events show 7c1f0d2e', 'opsbook events show incidents/7c1f0d2e'])
    .executes(start, async () => (await import('./show-event.ts')).showEvent)
}

function testCommand(start: Start): OpsbookCommand {
  return new OpsbookCommand('test')
    .summary('show what an event would start, without starting it')
    .description(
      'Shows the decision that an event would get for a runbook, and the inputs of the run. Nothing is recorded or started.',
    )
    .argument('<runbook>', runbookArgument)
    .addOption(
      new Option('--event <file>', 'the body of the delivery, as JSON; - reads stdin').makeOptionMandatory(),
    )
    .option('--hook <name>', 'the hook that receives it (default: the only one that is configured)')
    .withLocation()
    .withExamples([
      'opsbook events test diagnose-host --event incident.json',
      'opsbook events test diagnose-host --event - --hook alerts --output json < alert.json',
    ])
    .executes(start, async () => (await import('./test-event.ts')).testEvent)
}

function sendCommand(start: Start): OpsbookCommand {
  return new OpsbookCommand('send')
    .summary('send an event to "opsbook serve" on this machine')
    .description(
      'Sends an event as the sender of the hook would, with the secret of opsbook.yaml, to "opsbook serve" on this machine. It is recorded, and can start runs.',
    )
    .addOption(
      new Option('--event <file>', 'the body of the delivery, as JSON; - reads stdin').makeOptionMandatory(),
    )
    .option('--hook <name>', 'the hook that receives it (default: the only one that is configured)')
    .option('--callback <run/name>', 'the callback of a run that receives it instead')
    .option(
      '--id <id>',
      'the id of the event, where the hook takes it from the delivery (default: a new one)',
    )
    .option('--to <host:port>', 'where "opsbook serve" listens', usualAddresses.serve)
    .withLocation()
    .withExamples([
      'opsbook events send --hook ci --event build.json',
      'echo \'{"state": "done"}\' | opsbook events send --callback run_20261123_051827_986e4n/built --event -',
    ])
    .executes(start, async () => (await import('./send-event.ts')).sendEvent)
}
