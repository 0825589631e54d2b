import { RunbookError } from '../core/run-error.ts'

/** Refuses an act, since it does not stand as it was shown. Nothing is recorded. */
export class Outdated extends RunbookError {
  /** How it stands now: documents by their names. */
  readonly now: object

  constructor({ code, message, next }: Pick<RunbookError, 'code' | 'message' | 'next'>, now: object) {
    super(code, message, { notSent: true, ...(next === undefined ? {} : { next }) })
    this.now = now
  }
}
