import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { dataDirOption, examples, limitOption, outputOption } from '../shared/options.ts'
import type { AuditFlags } from './index.ts'

export function auditCommand(start: Start): Command {
  return new Command('audit')
    .summary('list who did what through the console')
    .description(
      'Lists the acts of people in the console of this data directory, newest first: who, from where, on what, and the outcome. Refused acts are listed too.',
    )
    .option('--who <name>', 'only acts of this person')
    .option('--refused', 'only acts that were refused or failed')
    .option('--since <when>', 'only acts since: 2h, 7d, 2026-01-31, or an RFC 3339 timestamp')
    .option('--until <when>', 'only acts before this time')
    .addOption(limitOption())
    .addOption(dataDirOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'opsbook audit',
        'opsbook audit --who ada --since 7d',
        'opsbook audit --refused --output json',
      ]),
    )
    .action((flags: AuditFlags) =>
      start(async (context) => {
        const { listAudit } = await import('./index.ts')
        return listAudit(context, flags)
      }),
    )
}
