"""The parser as a service over HTTP; needs the extra `pointree[serve]`.

A request passes `protocol` (time to send headers), `middleware` (key, body size, log), and a router: `parse_api`,
`udpipe_api` or `operations`. Its sentences become a `Job`; the `Batcher` parses those of many jobs together.
"""
