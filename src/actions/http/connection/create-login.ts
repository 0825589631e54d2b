import { RunbookError } from '../../../core/run-error.ts'
import { headerNameProblem, headerValueProblem } from '../request.ts'
import { type AwsLogin, createAwsLogin } from './aws.ts'
import type { LoginPlace, ServiceLogin } from './login.ts'
import { createOAuth2Login, type OAuth2Login } from './oauth2.ts'
import { createTokenSource } from './token-source.ts'

/** How requests of a connection prove who sends them. */
export type LoginOptions =
  | {
      readonly type: 'bearer'
      /** The token, or what reads it. It is read again after a 401: some platforms replace a file with it. */
      readonly token: string | (() => Promise<string>)
    }
  | { readonly type: 'basic'; readonly user: string; readonly password: string }
  | { readonly type: 'header'; readonly name: string; readonly value: string }
  | { readonly type: 'query'; readonly name: string; readonly value: string }
  | OAuth2Login
  | AwsLogin

/** Compiles the log-in of a connection. Throws `InvalidInput` for one that no header can carry. */
export function createLogin(options: LoginOptions | undefined, place: LoginPlace): ServiceLogin {
  switch (options?.type) {
    case undefined:
      return fixedLogin({}, [])
    case 'bearer':
      return bearerLogin(options.token, place)
    case 'basic': {
      const { user, password } = options
      const word = Buffer.from(`${user}:${password}`).toString('base64')
      return fixedLogin({ authorization: `Basic ${word}` }, [password, word])
    }
    case 'header': {
      const { name, value } = options
      const problem = headerNameProblem(name)
      if (problem !== undefined) throw refused(place, `the header of auth ${problem}`)
      return fixedLogin({ [name.toLowerCase()]: checked(value, place) }, [value])
    }
    case 'query': {
      const { name, value } = options
      if (value === '') throw refused(place, 'the value of auth is empty')
      const loggedIn = { headers: {}, query: { [name]: value }, secrets: [value] }
      return { secrets: [value], logIn: async () => loggedIn, renew: () => false }
    }
    case 'oauth2':
      return createOAuth2Login(options, place)
    case 'aws':
      return createAwsLogin(options)
  }
}

function fixedLogin(headers: Readonly<Record<string, string>>, secrets: readonly string[]): ServiceLogin {
  return { secrets, logIn: async () => ({ headers, secrets }), renew: () => false }
}

function bearerLogin(token: string | (() => Promise<string>), place: LoginPlace): ServiceLogin {
  if (typeof token === 'string')
    return fixedLogin({ authorization: `Bearer ${checked(token, place)}` }, [token])
  const source = createTokenSource(async () => ({ token: checked(await token(), place) }))
  return {
    secrets: [],
    async logIn() {
      const value = await source.get()
      return { headers: { authorization: `Bearer ${value}` }, secrets: [value] }
    },
    renew: ({ secrets: [value] }) => source.forget(value),
  }
}

function checked(value: string, place: LoginPlace): string {
  const problem = value === '' ? 'is empty' : headerValueProblem(value)
  if (problem === undefined) return value
  throw refused(place, `the value of auth ${problem}`)
}

function refused({ name }: LoginPlace, what: string): RunbookError {
  return new RunbookError('InvalidInput', `the connection "${name}": ${what}`, { notSent: true })
}
