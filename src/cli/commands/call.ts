import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { InputSources } from '../inputs/read-inputs.ts'
import type { ServiceChoice } from '../open-service.ts'
import { examples } from './examples.ts'
import {
  connectionOption,
  inputOption,
  inputsFileOption,
  type OutputFlags,
  outputOption,
  revealOption,
} from './options.ts'

/** The flags of `call`, as the parser hands them over. */
export interface CallOptions extends InputSources, ServiceChoice, OutputFlags {
  readonly saveAs?: string
  readonly reveal?: boolean
}

export function callCommand(start: Start): Command {
  return new Command('call')
    .summary('call one action, without a runbook')
    .description(
      'Calls one action and prints its whole answer. More items than one call takes are split and merged.',
    )
    .argument('<action>', 'the name of the action; "opsbook actions" lists them')
    .addOption(inputOption('argument'))
    .addOption(inputsFileOption('argument'))
    .option('--save-as <file>', 'the file an export is written to')
    .addOption(connectionOption())
    .option('--sandbox', 'start a sandbox for this call and use it')
    .addOption(outputOption())
    .addOption(revealOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook call monit/tools/catalog --input target_locator=web-01 --sandbox',
        'opsbook call monit/tools/invoke -i target_locator=web-01 -i "tools=[{tool: os.overview}]" --sandbox',
        'opsbook call safari/session/export -i session_id=sess_short --save-as session.ndjson --sandbox',
      ])}

Exit codes: 0 everything succeeded · 1 the call or one of its items failed · 2 invalid arguments, nothing was sent
4 nobody knows whether a create was carried out · 5 no connection, no valid key, or the file cannot be written`,
    )
    .action((action: string, options: CallOptions) =>
      start(async (context) => {
        const { call } = await import('../call/index.ts')
        return call(context, action, options)
      }),
    )
}
