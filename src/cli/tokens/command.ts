import { Command, Option } from 'commander'
import type { Start } from '../shared/context.ts'
import { dataDirOption, examples, gather, outputOption } from '../shared/options.ts'
import type { CreateTokenFlags, TokensFlags } from './index.ts'

export function tokensCommand(start: Start): Command {
  return withLocation(new Command('tokens'))
    .summary('make, list and revoke tokens for the API of the console')
    .description(
      'Makes, lists and revokes tokens. Programs send one to the API of the console of this data directory as "Authorization: Bearer". Without a subcommand, lists them.',
    )
    .action((flags: TokensFlags) => list(start, flags))
    .addCommand(
      withLocation(new Command('create'))
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
        .addHelpText(
          'after',
          examples([
            'opsbook tokens create ada --role operator --role approver --expires 30d',
            'opsbook tokens create deploys --role operator --expires 90d --agent',
          ]),
        )
        .action((name: string, _: object, command: Command) =>
          start(async (context) => {
            const { createToken } = await import('./index.ts')
            return createToken(context, name, command.optsWithGlobals<CreateTokenFlags>())
          }),
        ),
    )
    .addCommand(
      withLocation(new Command('list'))
        .summary('list the tokens')
        .description('Lists the tokens, the newest first, with what each may do and until when.')
        .addHelpText('after', examples(['opsbook tokens list']))
        .action((_: object, command: Command) => list(start, command.optsWithGlobals<TokensFlags>())),
    )
    .addCommand(
      withLocation(new Command('revoke'))
        .summary('refuse a token from now on')
        .description(
          'Revokes a token. The console refuses it at once, and ends its streams within 15 seconds.',
        )
        .argument('<id>', 'the id of the token, as "opsbook tokens" lists it')
        .addHelpText('after', examples(['opsbook tokens revoke 9f2c41d07ab3']))
        .action((id: string, _: object, command: Command) =>
          start(async (context) => {
            const { revokeToken } = await import('./index.ts')
            return revokeToken(context, id, command.optsWithGlobals<TokensFlags>())
          }),
        ),
    )
    .addHelpText(
      'after',
      examples([
        'opsbook tokens create deploys --role operator --expires 90d --agent',
        'opsbook tokens',
        'opsbook tokens revoke 9f2c41d07ab3',
      ]),
    )
}

function list(start: Start, flags: TokensFlags): Promise<void> {
  return start(async (context) => {
    const { listTokens } = await import('./index.ts')
    return listTokens(context, flags)
  })
}

function withLocation(command: Command): Command {
  return command.addOption(dataDirOption()).addOption(outputOption())
}
