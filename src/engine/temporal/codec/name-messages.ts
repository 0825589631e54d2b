import type { WorkflowClientInterceptor } from '@temporalio/client'
import { named } from './message-names.ts'

/** Puts the name of the message into the payloads that a client sends. */
export const nameMessages: WorkflowClientInterceptor = {
  startWithDetails(input, next) {
    const { workflowType, options } = input
    return next({ ...input, options: { ...options, args: named('start', workflowType, options.args) } })
  },
  signal: (input, next) => next({ ...input, args: named('signal', input.signalName, input.args) }),
  signalWithStart(input, next) {
    const { workflowType, options, signalName, signalArgs } = input
    return next({
      ...input,
      options: { ...options, args: named('start', workflowType, options.args) },
      signalArgs: named('signal', signalName, signalArgs),
    })
  },
  query: (input, next) => next({ ...input, args: named('query', input.queryType, input.args) }),
  startUpdate: (input, next) => next({ ...input, args: named('update', input.updateName, input.args) }),
  startUpdateWithStart(input, next) {
    const { workflowType, workflowStartOptions: start, updateName, updateArgs } = input
    return next({
      ...input,
      workflowStartOptions: { ...start, args: named('start', workflowType, start.args) },
      updateArgs: named('update', updateName, updateArgs),
    })
  },
}
