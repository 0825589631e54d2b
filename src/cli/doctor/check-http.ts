import { rulesText } from '../../actions/index.ts'
import { readHttpRules } from '../configuration/http-rules.ts'
import type { Configuration } from '../configuration/index.ts'
import { type Check, failedCheck } from './check.ts'

/** Where `core/http` may send requests. */
export function checkHttp(configuration: Configuration): Check {
  const name = 'http'
  try {
    const message = `core/http reaches ${rulesText(readHttpRules(configuration))}`
    return { name, status: 'ok', message }
  } catch (error) {
    return failedCheck(name, error)
  }
}
