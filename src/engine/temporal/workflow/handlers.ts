import {
  ApplicationFailure,
  defineQuery,
  defineSignal,
  defineUpdate,
  log,
  setHandler,
  TemporalFailure,
} from '@temporalio/workflow'
import { errorData, RunbookError } from '../../../core/run-error.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import type { UpdateRefusal } from '../messages.ts'
import { argumentsOf } from './payload-converter.ts'

/*
 * The only way for workflows to receive messages. Whatever a message holds, and whatever its handler throws, fails that
 * message alone: any other error than a failure would stop the workflow permanently, since its worker repeats the task.
 */

/** Answers a query, unless it cannot be read. */
export function onQuery<Answer, Args extends readonly unknown[] = []>(
  name: string,
  answer: (...args: Args) => Answer,
): void {
  const query = defineQuery<Answer, [...Args]>(name, { typeInfo: argumentsOf('query', name) })
  setHandler(query, (...args) => {
    args.forEach(requireReadable)
    return answer(...args)
  })
}

/** Receives a signal. One that cannot be received is logged by the worker, and changes nothing else. */
export function onSignal<Args extends readonly unknown[] = []>(
  name: string,
  receive: (...args: Args) => void | Promise<void>,
): void {
  const ignore = (thrown: unknown): void =>
    log.error(`the signal ${name} was ignored: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  setHandler(defineSignal<[...Args]>(name, { typeInfo: argumentsOf('signal', name) }), (...args) => {
    try {
      args.forEach(requireReadable)
      return receive(...args)?.catch(ignore)
    } catch (thrown) {
      return ignore(thrown)
    }
  })
}

/**
 * Obeys an update. Its client receives each error with its code, and with what to do next. An order that the worker has
 * no key for is refused. `check`: refuses an order before the history has it.
 */
export function onUpdate<Result, Order>(
  name: string,
  obey: (order: Order) => Result | Promise<Result>,
  check: (order: Order) => void = () => {},
): void {
  const update = defineUpdate<Result, [Order]>(name, { typeInfo: argumentsOf('update', name) })
  setHandler(
    update,
    (order) => {
      try {
        const result = obey(order)
        return result instanceof Promise ? result.catch(fail) : result
      } catch (thrown) {
        return fail(thrown)
      }
    },
    {
      validator(order) {
        try {
          requireReadable(order)
          check(order)
        } catch (thrown) {
          fail(thrown)
        }
      },
    },
  )
}

function requireReadable(order: unknown): void {
  const unreadable = typeof order === 'object' && order !== null ? whyUnreadable(order) : undefined
  if (unreadable !== undefined) throw new RunbookError('PayloadUnreadable', unreadable, { notSent: true })
}

function fail(thrown: unknown): never {
  if (thrown instanceof TemporalFailure) throw thrown
  const { code, message } = errorData(thrown)
  const next = RunbookError.is(thrown) ? thrown.next : undefined
  const refusal: UpdateRefusal = { code, ...(next === undefined ? {} : { next }) }
  throw ApplicationFailure.create({ message, type: code, nonRetryable: true, details: [refusal] })
}
