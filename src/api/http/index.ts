export {
  type Agents,
  createAgents,
  noProxy,
  proxyPasswords,
  proxyVariables,
  type TlsOptions,
} from './agents.ts'
export {
  type AnswerHead,
  type AnswerHeaders,
  answerError,
  type BodyUse,
  headerValue,
  requestIdHeader,
  retryAfterMs,
} from './answer-head.ts'
export { send, type WireAnswer } from './transport.ts'
