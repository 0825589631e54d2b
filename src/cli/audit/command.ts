import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { dataDirOption, limitOption, outputOption } from '../shared/options.ts'

export const auditCommand: DefineCommand = (start) =>
  new OpsbookCommand('audit')
    .summary('list who did what through the console')
    .description(
      'Lists the acts of people in the console of this data directory, newest first: who, from where, on what, and the outcome. Refused acts are listed too.',
    )
    .option('--who <name>', 'only acts of this person')
    .option('--refused', 'only acts that were refused or failed')
    .option('--since <when>', 'only acts since: 2h, 7d, 2026-01-31, or an RFC 3339 timestamp')
    .option('--until <when>', 'only acts before this time; a day counts whole')
    .addOption(limitOption())
    .addOption(dataDirOption())
    .addOption(outputOption())
    .withExamples([
      'opsbook audit',
      'opsbook audit --who ada --since 7d',
      'opsbook audit --refused --output json',
    ])
    .executes(start, async () => (await import('./index.ts')).listAudit)
