# For Varnish from 7.0 on, with varnish-modules: copy this file to /etc/varnish/default.vcl. Change the backend, and the instances among the purgers.
# The service needs CACHE_SECONDS and WEBHOOK_PRIVATE_ADDRESSES, and each table whose rows are shown a webhook (docs/operators.md, "Caches").
# test/deploy/varnish.test.ts runs it.
vcl 4.1;

import std;
import var;
import xkey;

backend content_service {
  .host = "127.0.0.1";
  .port = "4000";
}

# Who may say what is outdated: the instances, which send the webhooks.
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "POST" && req.url == "/purge") {
    # What comes through another proxy names its client there, too.
    if (client.ip !~ purgers || req.http.X-Forwarded-For != "" + client.ip) {
      return (synth(403));
    }
    var.global_set("purged", std.real(time=now));
    set req.http.X-Purged = xkey.purge(req.http.Cache-Tag);
    return (synth(200, "Purged " + req.http.X-Purged));
  }
  # WebSockets.
  if (req.http.Upgrade) {
    return (pipe);
  }
}

sub vcl_pipe {
  set bereq.http.Upgrade = req.http.Upgrade;
  set bereq.http.Connection = req.http.Connection;
}

sub vcl_backend_fetch {
  set bereq.http.X-Fetch-Began = std.real(time=now);
}

sub vcl_backend_response {
  set beresp.http.xkey = beresp.http.Cache-Tag;
  # What was purged while the response was made may be in it.
  if (std.real(var.global_get("purged"), 0.0) >= std.real(bereq.http.X-Fetch-Began, 0.0)) {
    set beresp.ttl = 0s;
    set beresp.grace = 0s;
  }
}

sub vcl_deliver {
  unset resp.http.xkey;
  unset resp.http.Cache-Tag;
  # Browsers are told of no changes: they ask each time whether theirs is the newest (ETag).
  if (resp.http.Cache-Control ~ "^public") {
    set resp.http.Cache-Control = "public, no-cache";
    unset resp.http.Age;
  }
}
