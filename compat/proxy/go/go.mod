module restante/compat/proxy

go 1.23

require github.com/resend/resend-go/v2 v2.28.0
