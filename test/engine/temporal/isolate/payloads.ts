import {
  defaultFailureConverter,
  defaultPayloadConverter,
  ensureTemporalFailure,
  type Payload,
} from '@temporalio/common'

type Failure = ReturnType<typeof defaultFailureConverter.errorToFailure>

/** A value as a history holds it. */
export function encode(value: unknown): Payload {
  return defaultPayloadConverter.toPayload(value)
}

export function decode<T>(payload: object | null | undefined): T {
  return defaultPayloadConverter.fromPayload<T>(payload as Payload)
}

/** A thrown error as a history holds it. */
export function encodeFailure(thrown: unknown): Failure {
  return defaultFailureConverter.errorToFailure(ensureTemporalFailure(thrown), defaultPayloadConverter)
}

/** The error of a failure in a history. */
export function decodeFailure(failure: object | null | undefined): Error {
  return defaultFailureConverter.failureToError(failure as Failure, defaultPayloadConverter)
}
