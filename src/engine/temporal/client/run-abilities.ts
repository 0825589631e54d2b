import type { Client } from '@temporalio/client'
import { hidesMessages } from '../codec/data-converter.ts'
import type { RunAbilities } from '../messages.ts'
import { converterOf } from './read-history.ts'

/** What a run can do that is asked for here and now, whoever starts it. */
export function abilitiesOf(client: Client): RunAbilities {
  return {
    tellsPeople: true,
    endsAsCancelled: true,
    ...(hidesMessages(converterOf(client)) ? { hidesMessages: true } : {}),
  }
}
