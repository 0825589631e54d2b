import type { WorkflowInterceptors } from '@temporalio/workflow'
import { named } from '../codec/message-names.ts'

/** Puts the name of the message into the payloads that a workflow sends. */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleActivity: (input, next) =>
        next({ ...input, args: named('activity', input.activityType, input.args) }),
      scheduleLocalActivity: (input, next) =>
        next({ ...input, args: named('activity', input.activityType, input.args) }),
      startChildWorkflowExecution(input, next) {
        const { workflowType, options } = input
        return next({ ...input, options: { ...options, args: named('start', workflowType, options.args) } })
      },
      signalWorkflow: (input, next) =>
        next({ ...input, args: named('signal', input.signalName, input.args) }),
      continueAsNew: (input, next) =>
        next({ ...input, args: named('start', input.options.workflowType ?? '', input.args) }),
    },
  ],
})
