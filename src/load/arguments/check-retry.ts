import { defaultRetry } from '../../core/retry.ts'
import { checkErrorCodes } from '../check-error-codes.ts'
import type { CompileContext } from '../compile/context.ts'
import type { JsonPath } from '../json-path.ts'
import type { RetryKeys } from '../runbook-document.ts'

/** Checks the codes of a `retry`, and whether it ever repeats what it says. */
export function checkRetry(
  context: CompileContext,
  retry: RetryKeys | undefined,
  defaults: RetryKeys | undefined,
  path: JsonPath,
): void {
  if (!retry) return
  const { source } = context
  checkErrorCodes(context, retry.errors, [...path, 'errors'])
  checkErrorCodes(context, retry.except, [...path, 'except'])
  const warn = (keys: JsonPath, message: string, hint: string): void => {
    const at = [...path, ...keys]
    source.findings.warn('NO_EFFECT', at, source.rangeOf(at), message, hint)
  }
  const attempts = retry.attempts ?? defaults?.attempts ?? defaultRetry.attempts
  // A number that could not be read has been told about.
  const isUnread = retry.attempts === undefined && source.scalarAt([...path, 'attempts']) !== undefined
  // One attempt is news where the runbook says that there are more.
  const isOverride = retry.attempts !== undefined && (defaults?.attempts ?? 1) > 1
  if (attempts === 1 && !isUnread && !isOverride) {
    const message = 'one attempt in all means that nothing is repeated'
    warn(retry.attempts === undefined ? [] : ['attempts'], message, 'such as attempts: 3')
  }
  for (const [index, code] of (retry.errors ?? []).entries()) {
    if (retry.except?.includes(code)) {
      warn(['errors', index], `"except" names "${String(code)}", too, and wins`, 'leave it out')
    } else if (code === 'RequestTooFrequently') {
      const message = 'refusals by the rate limit are waited out, and are no attempts'
      warn(['errors', index], message, 'throttle: { max-wait: … } says how long')
    }
  }
}
