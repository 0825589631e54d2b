import type { LoginRequest, ServiceLogin } from './login.ts'

/** The AWS signature version 4: each request is signed, and the secret key is never sent. */
export interface AwsLogin {
  readonly type: 'aws'
  readonly service: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** For temporary keys. */
  readonly sessionToken?: string
}

/** Loads what signs with the first request. */
export function createAwsLogin(options: AwsLogin): ServiceLogin {
  const { secretAccessKey, sessionToken } = options
  return {
    secrets: [secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
    async logIn(request) {
      const headers = await sign(options, request)
      return { headers, secrets: [] }
    },
    renew: () => false,
  }
}

/** The headers of the request with its signature. `datetime`: such as `20150830T123600Z`; left out: now. */
export async function sign(
  { service, region, accessKeyId, secretAccessKey, sessionToken }: AwsLogin,
  { method, url, headers, body }: Omit<LoginRequest, 'timeoutMs'>,
  datetime?: string,
): Promise<Readonly<Record<string, string>>> {
  const { AwsV4Signer } = await import('aws4fetch')
  const signer = new AwsV4Signer({
    method,
    url,
    headers,
    // A buffer of Node is one that a request takes.
    ...(body === undefined ? {} : { body: body as BodyInit }),
    service,
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    ...(datetime === undefined ? {} : { datetime }),
  })
  const signed = await signer.sign()
  return Object.fromEntries(signed.headers)
}
