import { type Action, insideSandbox } from '../../actions/index.ts'
import { CommandError } from '../command-error.ts'

/** The flags that choose the service of a command. */
export interface ServiceChoice {
  readonly connection?: string
  readonly sandbox?: boolean
  /** Lets steps and notifications leave the sandbox. */
  readonly allowOutside?: boolean
}

/** Whether a run can reach only the sandbox: no other address, no action of the project, no notification. */
export function staysInSandbox({ sandbox, allowOutside }: ServiceChoice): boolean {
  return sandbox === true && allowOutside !== true
}

/** The actions that the flags allow. */
export function actionsFor(choice: ServiceChoice, actions: readonly Action[]): readonly Action[] {
  return staysInSandbox(choice) ? insideSandbox(actions) : actions
}

/** Refuses `--allow-outside` without `--sandbox`. */
export function requireSandbox({ sandbox, allowOutside }: ServiceChoice): void {
  if (!allowOutside || sandbox) return
  throw new CommandError('usage', '--allow-outside needs --sandbox')
}
