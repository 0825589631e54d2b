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

/** How something stands: its word, and the documents that say it. */
export interface Standing {
  readonly word: string
  readonly now: object
}

/** Where an act is refused since it stands otherwise than shown, the refusal says how it stands now. */
export async function refusedWith<T>(
  shown: string | undefined,
  act: Promise<T>,
  read: () => Promise<Standing>,
): Promise<T> {
  try {
    return await act
  } catch (error) {
    if (shown === undefined || !RunbookError.is(error) || error.code !== 'InvalidInput') throw error
    const { word, now } = await read()
    throw word === shown ? error : new Outdated({ ...error, message: error.message, next: '' }, now)
  }
}
