import { type Action, insideSandbox } from '../actions/index.ts'
import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'
import type { ServiceChoice } from './open-service.ts'

/** Whether nothing but the sandbox can be reached: no other address, no action of the project, no notification. */
export function staysInside({ sandbox, allowOutside }: ServiceChoice): boolean {
  return sandbox === true && allowOutside !== true
}

/** The actions as the flags let runs use them. */
export function actionsFor(choice: ServiceChoice, actions: readonly Action[]): readonly Action[] {
  return staysInside(choice) ? insideSandbox(actions) : actions
}

/** Refuses `--allow-outside` alone: without a sandbox nothing is held back. */
export function requireSandbox({ sandbox, allowOutside }: ServiceChoice): void {
  if (!allowOutside || sandbox) return
  throw new CommandError(exitCodes.usage, '--allow-outside belongs to --sandbox, which is not given')
}
