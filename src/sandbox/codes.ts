/** The error codes of the document: the HTTP status each travels with, and what it says when nothing better is known. */
export type Code =
  | 'InvalidParameter'
  | 'BadRequest'
  | 'InvalidContentType'
  | 'ResourceNotFound'
  | 'NoLicense'
  | 'ReferenceExist'
  | 'Unauthorized'
  | 'BalanceNotEnough'
  | 'AccessDenied'
  | 'RouteNotFound'
  | 'MethodNotAllowed'
  | 'UndonedOrderExist'
  | 'RequestLocked'
  | 'EntityTooLarge'
  | 'RequestTooFrequently'
  | 'RequestVerifyRequired'
  | 'DangerousOperation'
  | 'InternalError'
  | 'ServiceUnavailable'

export const codes: Readonly<Record<Code, { readonly status: number; readonly text: Text }>> = {
  InvalidParameter: {
    status: 400,
    text: { en: 'A parameter is missing or malformed.', zh: '参数缺失或格式错误。' },
  },
  BadRequest: {
    status: 400,
    text: { en: 'The request could not be understood.', zh: '无法理解该请求。' },
  },
  InvalidContentType: {
    status: 400,
    text: { en: 'Content-Type must be application/json.', zh: 'Content-Type 必须为 application/json。' },
  },
  ResourceNotFound: { status: 400, text: { en: 'The resource does not exist.', zh: '资源不存在。' } },
  NoLicense: {
    status: 400,
    text: { en: 'The license does not cover this operation.', zh: '当前许可不支持该操作。' },
  },
  ReferenceExist: { status: 400, text: { en: 'The resource is still referred to.', zh: '资源仍被引用。' } },
  Unauthorized: {
    status: 401,
    text: { en: 'The app_key is missing or invalid.', zh: 'app_key 缺失或无效。' },
  },
  BalanceNotEnough: { status: 402, text: { en: 'The balance is not sufficient.', zh: '余额不足。' } },
  AccessDenied: { status: 403, text: { en: 'The key lacks the permission.', zh: '没有操作权限。' } },
  RouteNotFound: { status: 404, text: { en: 'There is no such route.', zh: '路由不存在。' } },
  MethodNotAllowed: {
    status: 405,
    text: { en: 'The method is not allowed; use POST.', zh: '不支持该请求方法，请使用 POST。' },
  },
  UndonedOrderExist: {
    status: 409,
    text: { en: 'An order is still in progress.', zh: '存在未完成的订单。' },
  },
  EntityTooLarge: { status: 413, text: { en: 'The request body is too large.', zh: '请求体过大。' } },
  RequestLocked: {
    status: 423,
    text: { en: 'Another request holds the resource.', zh: '资源正被其他请求占用。' },
  },
  RequestVerifyRequired: {
    status: 428,
    text: { en: 'The request needs to be verified.', zh: '该请求需要验证。' },
  },
  DangerousOperation: {
    status: 428,
    text: { en: 'The operation is dangerous and needs to be confirmed.', zh: '危险操作，需要确认。' },
  },
  RequestTooFrequently: {
    status: 429,
    text: { en: 'Requests come too frequently; try again later.', zh: '请求过于频繁，请稍后重试。' },
  },
  InternalError: { status: 500, text: { en: 'An unexpected error happened.', zh: '服务内部错误。' } },
  ServiceUnavailable: {
    status: 503,
    text: { en: 'The service is not available at the moment.', zh: '服务暂不可用。' },
  },
}

/** The status of any code; one that the document does not list is a plain 400. */
export function statusOf(code: string): number {
  return code in codes ? codes[code as Code].status : 400
}

/** A message in every language that the sandbox speaks. */
export interface Text {
  readonly en: string
  readonly zh: string
}

export type Language = keyof Text

/** The language of an `Accept-Language` header that is wanted most and spoken here; English if there is none. */
export function chooseLanguage(header: string | undefined): Language {
  const wanted = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean)
      return { language: tag.split('-')[0], quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  for (const { language } of wanted) if (language === 'en' || language === 'zh') return language
  return 'en'
}
