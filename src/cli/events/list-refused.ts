/** `opsbook events --refused`: deliveries that became no event. */
import { readRefusedDeliveries } from '../../triggers/serve/refused-deliveries.ts'
import { CommandError } from '../command-error.ts'
import type { EventsFlags } from '../commands/events.ts'
import { chooseDataDir, readConfiguration } from '../configuration/index.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readMoment } from '../runs/read-filter.ts'
import { columns } from '../terminal/columns.ts'
import { momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'

/** Lists the refused deliveries that fit the flags, the newest first. */
export async function listRefused(context: CommandContext, flags: EventsFlags): Promise<ExitCode> {
  const { hook, runbook, because, started, since, limit, output } = flags
  if (runbook !== undefined || because !== undefined || started)
    throw new CommandError(exitCodes.usage, '--refused goes with --hook, --since and --limit only', {
      hints: ['no trigger was asked about a delivery that was refused'],
    })
  const dataDir = chooseDataDir(flags.dataDir, await readConfiguration(context.io), context.io)
  const fromMs = since === undefined ? 0 : readMoment(since, Date.now())
  const refused = readRefusedDeliveries(dataDir)
    .filter((one) => (hook === undefined || one.hook === hook) && Date.parse(one.last_at) >= fromMs)
    .toReversed()
    .slice(0, limit)
  if (output === 'json') answerJson(context, { refused })
  else if (refused.length === 0) answer(context, 'no delivery was refused')
  else {
    const rows = refused.map(({ last_at, status, hook: name = '(no such hook)', count, reason }) => [
      momentText(Date.parse(last_at)),
      String(status),
      printableLine(name),
      count > 1 ? `${count} times` : '',
      printableLine(reason),
    ])
    answer(context, columns(rows))
  }
  return exitCodes.succeeded
}
