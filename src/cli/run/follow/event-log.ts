import type { Logger } from 'pino'
import { isForPerson, type TimedRunEvent } from '../../../core/events.ts'
import type { ItemNames } from '../../../view/run/index.ts'
import type { Follower } from './follower.ts'

/** Logs the events of a run. Fields are listed one by one, so that outputs and arguments are never logged. */
export function createEventLog(logger: Logger, items: ItemNames): Follower {
  return {
    take(event) {
      const { level, fields } = entryOf(event)
      const item = 'path' in event ? items.facts(event.path) : undefined
      logger[level]({ ...fields, ...item }, event.type)
    },
    say: (text) => logger.info(text),
    pause() {},
    continue() {},
    end() {},
  }
}

interface Entry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
}

function entryOf(event: TimedRunEvent): Entry {
  switch (event.type) {
    case 'run_started':
      return { level: 'info', fields: { runbook: event.runbook, steps: event.steps.length } }
    case 'run_finished': {
      const level = event.status === 'succeeded' ? 'info' : 'error'
      return { level, fields: { status: event.status, ...errorFields(event) } }
    }
    case 'run_cancelling':
    case 'run_paused':
    case 'run_unpaused': {
      const { by, comment, is_now } = event
      return { level: 'warn', fields: { by, comment, is_now } }
    }
    case 'step_started':
      return { level: 'info', fields: { path: event.path, action: event.action } }
    case 'step_finished': {
      const { path, status, attempts, is_warning, caught } = event
      const level = event.error === undefined ? 'info' : is_warning ? 'warn' : 'error'
      const replaced = caught === undefined ? {} : { caught: errorFields({ ...event, error: caught }) }
      return { level, fields: { path, status, attempts, is_warning, ...replaced, ...errorFields(event) } }
    }
    case 'waiting': {
      const { path, reason, until, message } = event
      return { level: isForPerson(reason) ? 'info' : 'debug', fields: { path, reason, until, message } }
    }
    case 'answered': {
      const { path, approved, value, by, comment, count, needed } = event
      return { level: 'info', fields: { path, approved, value, by, comment, count, needed } }
    }
    case 'attempt_failed': {
      const { path, attempt, is_repeated } = event
      return { level: 'warn', fields: { path, attempt, is_repeated, ...errorFields(event) } }
    }
    case 'attempt_succeeded': {
      const { path, attempt, request_id, warnings } = event
      return {
        level: warnings === undefined ? 'info' : 'warn',
        fields: { path, attempt, request_id, warnings },
      }
    }
    case 'logged': {
      const { path, attempt, level, message, data } = event
      return { level, fields: { path, attempt, message, data } }
    }
    default: {
      const {
        run_id: _,
        type: __,
        at: ___,
        sensitive: ____,
        ...fields
      } = event as typeof event & { sensitive?: unknown }
      return { level: 'debug', fields }
    }
  }
}

function errorFields({ error }: TimedRunEvent & { error?: unknown }): Readonly<Record<string, unknown>> {
  if (typeof error !== 'object' || error === null) return {}
  const { code, message, requestId } = error as { code?: string; message?: string; requestId?: string }
  return { code, message, request_id: requestId }
}
