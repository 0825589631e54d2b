import { Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { dataDirOption, gather, outputOption } from '../shared/options.ts'

export const tokensCommand: DefineCommand = (start) =>
  ofTokens('tokens')
    .summary('make, list and revoke tokens for the API of the console')
    .description(
      'Makes, lists and revokes tokens. Programs send one to the API of the console of this data directory as "Authorization: Bearer". Without a subcommand, lists them.',
    )
    .executes(start, async () => (await import('./index.ts')).listTokens)
    .addCommand(
      ofTokens('create')
        .summary('make a token, and print it once')
        .description(
          'Makes a token and prints it once. What is stored proves it, and cannot be used in its place.',
        )
        .argument('<name>', 'who acts with it: the name of a person, or of a program')
        .addOption(
          new Option('--role <role>', 'what it may do: viewer, operator, approver or admin; repeatable')
            .argParser(gather)
            .makeOptionMandatory(),
        )
        .requiredOption('--expires <when>', 'when it ends: 30d, 2026-12-31, or an RFC 3339 timestamp')
        .option(
          '--agent',
          'it is of a program: the record names its acts so, and it has the role viewer or operator',
        )
        .withExamples([
          'opsbook tokens create ada --role operator --role approver --expires 30d',
          'opsbook tokens create deploys --role operator --expires 90d --agent',
        ])
        .executes(start, async () => (await import('./index.ts')).createToken),
    )
    .addCommand(
      ofTokens('list')
        .summary('list the tokens')
        .description('Lists the tokens, the newest first, with what each may do and until when.')
        .withExamples(['opsbook tokens list'])
        .executes(start, async () => (await import('./index.ts')).listTokens),
    )
    .addCommand(
      ofTokens('revoke')
        .summary('refuse a token from now on')
        .description(
          'Revokes a token. The console refuses it at once, and ends its streams within 15 seconds.',
        )
        .argument('<id>', 'the id of the token, as "opsbook tokens" lists it')
        .withExamples(['opsbook tokens revoke 9f2c41d07ab3'])
        .executes(start, async () => (await import('./index.ts')).revokeToken),
    )
    .withExamples([
      'opsbook tokens create deploys --role operator --expires 90d --agent',
      'opsbook tokens',
      'opsbook tokens revoke 9f2c41d07ab3',
    ])

function ofTokens(name: string): OpsbookCommand {
  return new OpsbookCommand(name).addOption(dataDirOption()).addOption(outputOption())
}
